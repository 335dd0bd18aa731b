// How a memory is searched: each part with its deadline, then fused.

#include <fmt/format.h>

#include <algorithm>

#include "fusion.h"
#include "memory_state.h"
#include "query_words.h"

namespace braid::retrieve {

namespace {

/// Each part brings more than is asked for, so that the fusion has something to weigh.
constexpr int kCandidatesAtLeast = 50;
/// Age says little about what fits: it decides between hits that fit as well.
constexpr double kRecencyWeight = 0.1;
/// Of the deadline, for the embedder's batch that is under way.
constexpr int kShareOfWaiting = 4;
/// Cosine below which texts have nothing to do with one another.
constexpr float kLeastLikeness = 0.3F;

/// The same records, newest end first.
Ranking by_age(const std::vector<Record>& records) {
  std::vector<const Record*> order;
  order.reserve(records.size());
  for (const Record& record : records) order.push_back(&record);
  std::stable_sort(order.begin(), order.end(),
                   [](const Record* a, const Record* b) { return a->end > b->end; });
  Ranking ranking;
  ranking.weight = kRecencyWeight;
  for (const Record* record : order) ranking.ids.push_back(record->id);
  return ranking;
}

struct Rankings {
  Ranking text, vectors, recency, graph;
};

void add_hits(const Rankings& rankings, std::vector<Record>& records, int limit, Found& found) {
  const auto text = shares(rankings.text);
  const auto vectors = shares(rankings.vectors);
  const auto recency = shares(rankings.recency);
  const auto graph = shares(rankings.graph);
  const auto share_of = [](const auto& shares, std::int64_t id) {
    const auto share = shares.find(id);
    return share == shares.end() ? 0.0 : share->second;
  };
  for (const auto& [id, score] : fuse({rankings.text, rankings.vectors, rankings.recency, rankings.graph})) {
    if (found.hits.size() == static_cast<std::size_t>(limit)) break;
    const auto record =
        std::find_if(records.begin(), records.end(), [id = id](const Record& one) { return one.id == id; });
    if (record != records.end())
      found.hits.push_back(
          {std::move(*record),
           score,
           {share_of(text, id), share_of(vectors, id), share_of(recency, id), share_of(graph, id)}});
  }
}

}  // namespace

SearchPart Memory::State::run(const char* name, SteadyTime begun, const SearchQuery& query, Ranking& ranking,
                              Status& status, const std::function<Result<Ranking>(const Stop&)>& part) {
  auto found = part([this, over = begun + query.deadline] { return clock.now() > over; });
  SearchPart account{name, PartVerdict::kMet, 0, clock.now() - begun};
  if (found) {
    ranking = std::move(*found);
    account.candidates = static_cast<int>(ranking.ids.size());
  } else if (found.error().code == ErrorCode::kLate) {
    account.verdict = PartVerdict::kLate;
  } else {
    status = tl::unexpected(found.error());
  }
  return account;
}

Result<Found> Memory::State::newest(const SearchQuery& query) {
  std::lock_guard lock(read_mutex);
  Found found;
  Status status;
  Ranking recency;
  found.parts = {{"text", PartVerdict::kUnused, 0, {}}, {"vectors", PartVerdict::kUnused, 0, {}}};
  found.parts.push_back(run("recency", clock.now(), query, recency, status, [&](const Stop& stop) {
    return reader->newest(query.filter, query.limit, stop);
  }));
  if (!status) return tl::unexpected(status.error());
  auto records = reader->get(recency.ids);
  if (!records) return tl::unexpected(records.error());
  add_hits({{}, {}, std::move(recency), {}}, *records, query.limit, found);
  return found;
}

Result<Found> Memory::State::by_words_and_meaning(const std::vector<std::string>& words,
                                                  const SearchQuery& query,
                                                  const std::function<Result<Ranking>(const Stop&)>& near) {
  const SteadyTime begun = clock.now();
  // Before the rows are taken: the embedder may have to be waited for.
  Result<std::vector<float>> asked = std::vector<float>();
  const auto& embedder = words.empty() ? nullptr : options.embedder;
  if (embedder) asked = embedder->query({query.text}, begun + query.deadline / kShareOfWaiting);
  std::lock_guard lock(read_mutex);
  Found found;
  Status status;
  Rankings rankings;
  const int candidates = std::max(query.limit, kCandidatesAtLeast);
  SearchPart by_meaning{"vectors", PartVerdict::kUnused, 0, {}};
  if (embedder)
    by_meaning =
        run("vectors", begun, query, rankings.vectors, status, [&](const Stop& stop) -> Result<Ranking> {
          if (!asked) return tl::unexpected(asked.error());
          return vectors->nearest(*reader, embedder->name(), *asked, query.filter, candidates, kLeastLikeness,
                                  stop);
        });
  // What fails in the embedder leaves the words.
  if (!status && !asked) status = {}, by_meaning.verdict = PartVerdict::kLate;
  if (!status) return tl::unexpected(status.error());
  SearchPart by_words{"text", PartVerdict::kUnused, 0, {}};
  if (!words.empty())
    by_words = run("text", clock.now(), query, rankings.text, status,
                   [&](const Stop& stop) { return reader->by_words(words, query.filter, candidates, stop); });
  found.parts = {by_words, by_meaning};
  if (status && near) found.parts.push_back(run("graph", clock.now(), query, rankings.graph, status, near));
  if (!status) return tl::unexpected(status.error());
  std::vector<std::int64_t> ids;
  for (const Ranking* ranking : {&rankings.text, &rankings.vectors, &rankings.graph})
    for (const std::int64_t id : ranking->ids)
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  auto records = reader->get(ids);
  if (!records) return tl::unexpected(records.error());
  rankings.recency = by_age(*records);
  found.parts.push_back({"recency", PartVerdict::kMet, static_cast<int>(records->size()), {}});
  add_hits(rankings, *records, query.limit, found);
  return found;
}

Result<Found> Memory::State::search(const SearchQuery& query,
                                    const std::function<Result<Ranking>(const Stop&)>& near) {
  std::vector<std::string> words = query_words(query.text);
  if (near && all_words(query.text).empty()) words.clear();
  auto found = words.empty() && !near ? newest(query) : by_words_and_meaning(words, query, near);
  if (!found) return found;
  found->from = query.filter.from;
  found->to = query.filter.to;
  return found;
}

Result<Found> Memory::search(const SearchQuery& query) {
  if (query.limit < 1 || query.limit > kMaxHits)
    return fail(ErrorCode::kUsage, fmt::format("limit is {}; it must be 1..{}", query.limit, kMaxHits));
  if (query.text.size() > kMaxQueryText)
    return fail(ErrorCode::kLimit,
                fmt::format("the query has {} bytes; it may have {}", query.text.size(), kMaxQueryText));
  return query.event ? state_->search_relative(query) : state_->search(query, {});
}

}  // namespace braid::retrieve
