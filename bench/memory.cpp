// How fast a memory is searched, beside SQLite alone and hnswlib, as docs/memory.md has it:
//   braid_memory_bench RECORDS QUERIES FOLDER
// Records are made: eight to twelve words by Zipf's law, of topics of fifty; a vector is its topic's and some
// of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "braid/retrieve/memory.h"
#include "query_words.h"
#include "sqlite/rows.h"
#include "vectors/index.h"
#ifdef BRAID_HNSWLIB
#include <hnswlib/hnswlib.h>
#endif

namespace {

using namespace braid;
using namespace braid::retrieve;

constexpr std::size_t kDim = 384;
constexpr int kTopicRecords = 50;
constexpr int kHits = 10;
constexpr const char* kSpace = "text:made";

using Vector = std::vector<float>;

Vector random_unit(std::uint64_t seed) {
  std::mt19937 chance(static_cast<std::uint32_t>(seed * 2654435761U));
  std::normal_distribution<float> normal;
  Vector vector(kDim);
  for (float& value : vector) value = normal(chance);
  const float length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.F));
  for (float& value : vector) value /= length;
  return vector;
}

/// The topic is the text's last word.
Vector vector_of(const std::string& text) {
  const auto topic = std::strtoull(text.substr(text.rfind(' ') + 2).c_str(), nullptr, 10);
  Vector vector = random_unit(topic + 1);
  const Vector own = random_unit(std::hash<std::string>()(text));
  for (std::size_t d = 0; d < kDim; ++d) vector[d] += 0.6F * own[d];
  const float length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.F));
  for (float& value : vector) value /= length;
  return vector;
}

class Texts {
 public:
  std::string next(int topic) {
    std::string text;
    const int words = 8 + static_cast<int>(chance_() % 5);
    for (int i = 0; i < words; ++i) text += fmt::format("w{} ", word());
    return text + fmt::format("t{}", topic);
  }
  std::mt19937& chance() { return chance_; }

 private:
  /// Of twenty thousand, the k-th as often as 1/k.
  int word() {
    const double at = std::uniform_real_distribution<>(0, std::log(20000.0))(chance_);
    return static_cast<int>(std::exp(at));
  }
  std::mt19937 chance_{6};
};

void say_times(const std::string& what, std::vector<double> ms, const std::string& beside = "") {
  if (ms.empty()) return;
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double share) {
    return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  };
  fmt::print("| {} | {:.2f} | {:.2f} | {} |\n", what, at(0.5), at(0.99), beside);
}

double ms_since(Clock& clock, SteadyTime begun) { return to_ms(clock.now() - begun); }

struct Made {
  std::vector<std::string> texts;    // all records'
  std::vector<std::string> queries;  // a topic's words in another order
};

Made make(int records, int queries) {
  Made made;
  Texts texts;
  for (int i = 0; i < records; ++i) made.texts.push_back(texts.next(i / kTopicRecords));
  for (int i = 0; i < queries; ++i)
    made.queries.push_back(
        texts.next(static_cast<int>(texts.chance()() % static_cast<unsigned>(records)) / kTopicRecords));
  return made;
}

void check(const Status& status) {
  if (status) return;
  fmt::print(stderr, "{}\n", status.error().message);
  std::exit(1);
}

UtcTime time_of(int record) { return UtcTime(std::chrono::seconds(record)); }

void fill(const Made& made, Memory& memory, Clock& clock) {
  const SteadyTime begun = clock.now();
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    Record record;
    record.start = record.end = time_of(static_cast<int>(i));
    record.source = "line";
    record.text = made.texts[i];
    record.vectors = {{kSpace, vector_of(record.text)}};
    if (memory.add(record)) continue;
    check(memory.flush());
    check(memory.add(std::move(record)));
  }
  check(memory.flush());
  fmt::print("{} records written in {:.1f} s, {:.0f} MB on disk\n\n", made.texts.size(),
             to_ms(clock.now() - begun) / 1000, static_cast<double>(memory.stats()->bytes) / 1e6);
}

/// All parts, as a client searches.
void measure_memory(const Made& made, Memory& memory, Clock& clock) {
  for (const double share : {1.0, 0.1, 0.01}) {
    std::vector<double> whole, text, vectors;
    for (std::size_t i = 0; i < made.queries.size(); ++i) {
      SearchQuery query;
      query.text = made.queries[i];
      query.deadline = std::chrono::seconds(60);
      const auto span = static_cast<int>(share * static_cast<double>(made.texts.size()));
      const int from =
          static_cast<int>((i * 7919) % (made.texts.size() - static_cast<std::size_t>(span) + 1));
      if (share < 1) query.filter = {.from = time_of(from), .to = time_of(from + span)};
      const SteadyTime begun = clock.now();
      const auto found = memory.search(query);
      whole.push_back(ms_since(clock, begun));
      if (!found) continue;
      text.push_back(to_ms(found->parts[0].took));
      vectors.push_back(to_ms(found->parts[1].took));
    }
    const std::string range = fmt::format("{:.0f} % of the time", share * 100);
    say_times("Braid, text part, " + range, text);
    say_times("Braid, vectors part, " + range, vectors);
    say_times("Braid, whole search, " + range, whole);
  }
}

std::vector<std::int64_t> nearest_of_all(const std::vector<Vector>& all, const Vector& query) {
  std::vector<std::pair<float, std::int64_t>> scored;
  for (std::size_t i = 0; i < all.size(); ++i)
    scored.emplace_back(-std::inner_product(query.begin(), query.end(), all[i].begin(), 0.F),
                        static_cast<std::int64_t>(i + 1));
  std::partial_sort(scored.begin(), scored.begin() + kHits, scored.end());
  std::vector<std::int64_t> ids;
  for (int i = 0; i < kHits; ++i) ids.push_back(scored[static_cast<std::size_t>(i)].second);
  return ids;
}

std::size_t in_both(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  return static_cast<std::size_t>(std::count_if(
      a.begin(), a.end(), [&](std::int64_t id) { return std::find(b.begin(), b.end(), id) != b.end(); }));
}

void measure_vectors(const Made& made, const std::string& folder, Clock& clock) {
  std::vector<Vector> all, queries;
  for (const std::string& text : made.texts) all.push_back(vector_of(text));
  for (const std::string& text : made.queries) queries.push_back(vector_of(text));
  std::vector<std::vector<std::int64_t>> right;
  std::vector<double> flat;
  for (const Vector& query : queries) {
    const SteadyTime begun = clock.now();
    right.push_back(nearest_of_all(all, query));
    flat.push_back(ms_since(clock, begun));
  }
  const auto total = static_cast<double>(queries.size() * kHits);
  auto rows = SqliteRows::open(folder + "/rows.sqlite", {.read_only = true});
  VectorIndex index(folder, false);
  std::vector<double> ours;
  std::size_t found = 0;
  static_cast<void>(index.nearest(**rows, kSpace, queries[0], {}, kHits, -1, {}));  // reads the files
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const SteadyTime begun = clock.now();
    const auto ranking = index.nearest(**rows, kSpace, queries[i], {}, kHits, -1, {});
    ours.push_back(ms_since(clock, begun));
    found += in_both(ranking->ids, right[i]);
  }
  say_times("Braid, vectors alone", ours, fmt::format("{:.4f}", static_cast<double>(found) / total));
  say_times("f32 in memory, one after the other", flat, "1");
#ifdef BRAID_HNSWLIB
  hnswlib::InnerProductSpace space(kDim);
  hnswlib::HierarchicalNSW<float> graph(&space, all.size(), 16, 200);
  const SteadyTime begun = clock.now();
  for (std::size_t i = 0; i < all.size(); ++i) graph.addPoint(all[i].data(), i + 1);
  fmt::print(stderr, "hnswlib: built in {:.1f} s\n", ms_since(clock, begun) / 1000);
  for (const std::size_t ef : {50U, 200U}) {
    graph.setEf(ef);
    std::vector<double> theirs;
    found = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const SteadyTime asked = clock.now();
      auto heap = graph.searchKnn(queries[i].data(), kHits);
      theirs.push_back(ms_since(clock, asked));
      std::vector<std::int64_t> ids;
      for (; !heap.empty(); heap.pop()) ids.push_back(static_cast<std::int64_t>(heap.top().second));
      found += in_both(ids, right[i]);
    }
    say_times(fmt::format("hnswlib, M 16, ef {}", ef), theirs,
              fmt::format("{:.4f}", static_cast<double>(found) / total));
  }
#endif
}

/// One table of full text, all words of a query joined by OR.
void measure_sqlite(const Made& made, const std::string& file, Clock& clock) {
  auto database = Database::open(file, Database::Mode::kWrite);
  check(database->run("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61'); BEGIN"));
  auto row = database->prepare("INSERT INTO words(text) VALUES(?)");
  for (const std::string& text : made.texts) check(row->bind(std::string_view(text)).run());
  check(database->run("COMMIT"));
  auto search = database->prepare(
      fmt::format("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT {}", kHits));
  std::vector<double> times;
  for (const std::string& text : made.queries) {
    const std::string match = fmt::format("{}", fmt::join(query_words(text), " OR "));
    const SteadyTime begun = clock.now();
    check(search->bind(std::string_view(match)).run());
    times.push_back(ms_since(clock, begun));
  }
  say_times("SQLite, one FTS5 table", times);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: braid_memory_bench RECORDS QUERIES FOLDER\n"), 2;
  const int records = std::max(std::atoi(argv[1]), 1000);
  const std::string folder = std::string(argv[3]) + "/bench.memory";
  std::filesystem::remove_all(argv[3]);
  std::filesystem::create_directories(argv[3]);
  RealClock clock;
  const Made made = make(records, std::max(std::atoi(argv[2]), 1));
  MemoryOptions options;
  const Embed embed = [](const std::vector<std::string>& texts) -> Result<std::vector<float>> {
    Vector all;
    for (const std::string& text : texts) {
      const Vector one = vector_of(text);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  options.embedder = std::make_shared<Embedder>(kSpace, embed, clock);
  auto memory = Memory::open(folder, options, clock);
  if (!memory) return fmt::print(stderr, "{}\n", memory.error().message), 1;
  fill(made, **memory, clock);
  fmt::print("| {} records | p50 ms | p99 ms | recall@10 |\n| --- | --- | --- | --- |\n", records);
  measure_memory(made, **memory, clock);
  measure_sqlite(made, std::string(argv[3]) + "/alone.sqlite", clock);
  measure_vectors(made, folder, clock);
  std::filesystem::remove_all(argv[3]);
}
