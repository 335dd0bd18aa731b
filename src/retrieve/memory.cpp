#include "braid/retrieve/memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "braid/base/utf8.h"
#include "fusion.h"
#include "query_words.h"
#include "sqlite/rows.h"

namespace braid::retrieve {

namespace fs = std::filesystem;

namespace {

/// Each part brings more than is asked for, so that the fusion has something to weigh.
constexpr int kCandidatesAtLeast = 50;
/// Age says little about what fits: it decides between hits that fit as well.
constexpr double kRecencyWeight = 0.1;

/// Held by the one process that writes.
class WriterLock {
 public:
  WriterLock() = default;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock() {
    if (fd_ >= 0) close(fd_);
  }
  Status take(const std::string& folder) {
    const std::string path = folder + "/lock";
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd_ < 0)
      return fail(ErrorCode::kResource, fmt::format("can't make {}: {}", path, std::strerror(errno)));
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
    return fail(
        ErrorCode::kFull,
        fmt::format("another process writes to the memory {}: end it, or choose another folder", folder),
        true);
  }

 private:
  int fd_ = -1;
};

Status make_folder(const std::string& folder, bool read_only) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return {};
  if (read_only) return fail(ErrorCode::kNotFound, fmt::format("there is no memory {}", folder));
  if (fs::exists(folder, error))
    return fail(ErrorCode::kBadInput, fmt::format("{} is a file; a memory is a folder", folder));
  fs::create_directory(folder, error);
  if (error == std::errc::no_such_file_or_directory)
    return fail(ErrorCode::kNotFound,
                fmt::format("the folder that {} is to be made in doesn't exist: make it first", folder));
  if (error) return fail(ErrorCode::kResource, fmt::format("can't make {}: {}", folder, error.message()));
  fs::permissions(folder, fs::perms::owner_all, error);
  return {};
}

Status check_vectors(const Record& record) {
  if (record.vectors.size() > kMaxVectors)
    return fail(ErrorCode::kLimit,
                fmt::format("the record has {} vectors; it may have {}", record.vectors.size(), kMaxVectors));
  for (const RecordVector& vector : record.vectors)
    if (vector.space.empty() || vector.values.empty() || vector.values.size() > kMaxVectorDim)
      return fail(ErrorCode::kBadInput,
                  fmt::format("a vector has {} numbers in the space '{}'; it must have 1..{} and a space",
                              vector.values.size(), vector.space, kMaxVectorDim));
  return {};
}

Status check(Record& record) {
  record.text = to_valid_utf8(record.text);
  record.source = to_valid_utf8(record.source);
  if (record.text.empty()) return fail(ErrorCode::kBadInput, "the record has no text");
  if (record.text.size() > kMaxRecordText)
    return fail(ErrorCode::kLimit, fmt::format("the record's text has {} bytes; it may have {}",
                                               record.text.size(), kMaxRecordText));
  if (record.source.size() > kMaxSourceName)
    return fail(ErrorCode::kLimit, fmt::format("the source's name has {} bytes; it may have {}",
                                               record.source.size(), kMaxSourceName));
  if (Status fits = check_vectors(record); !fits) return fits;
  if (record.end < record.start)
    return fail(ErrorCode::kBadInput,
                fmt::format("the record ends at {} before it starts at {}", calendar::utc_text(record.end),
                            calendar::utc_text(record.start)));
  return {};
}

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

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), last; !error && at != last; at.increment(error)) {
    std::error_code unknown;
    const std::uint64_t size = at->file_size(unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace

struct Memory::State {
  State(Clock& time, MemoryOptions chosen) : options(chosen), clock(time), changed(time) {}

  void commit_loop();
  void commit(std::unique_lock<std::mutex>& lock);
  Result<Found> search(const SearchQuery& query);
  SearchPart run(const char* name, Nanoseconds deadline, Ranking& ranking, Status& status,
                 const std::function<Result<Ranking>(const Stop&)>& part);

  const MemoryOptions options;
  Clock& clock;
  std::string folder;
  WriterLock writer_lock;

  std::mutex read_mutex;  // guards `reader`
  std::unique_ptr<RowStore> reader;
  std::mutex write_mutex;  // guards `writer`; never taken while `mutex` is held
  std::unique_ptr<RowStore> writer;

  std::mutex mutex;  // guards what follows
  Signal changed;
  std::vector<Record> waiting;
  std::size_t committing = 0;
  std::uint64_t attempts = 0;
  bool flush_asked = false;
  bool closing = false;
  Status last_commit;
  MemoryStats counts;
  Thread thread;
};

void Memory::State::commit(std::unique_lock<std::mutex>& lock) {
  std::vector<Record> batch = std::move(waiting);
  waiting.clear();
  committing = batch.size();
  flush_asked = false;
  lock.unlock();
  Status done;
  {
    std::lock_guard writing(write_mutex);
    done = writer->append(batch);
  }
  lock.lock();
  committing = 0;
  ++attempts;
  last_commit = done;
  if (done) {
    counts.committed += batch.size();
  } else {
    ++counts.failed_commits;
    waiting.insert(waiting.begin(), std::make_move_iterator(batch.begin()),
                   std::make_move_iterator(batch.end()));
  }
  changed.notify_all();
}

void Memory::State::commit_loop() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return closing || flush_asked || !waiting.empty(); });
    // What comes within the interval shares a commit.
    changed.wait_until(lock, clock.now() + options.commit_every, [this] { return closing || flush_asked; });
    if (!waiting.empty() || flush_asked) commit(lock);
    if (closing) return;
  }
}

SearchPart Memory::State::run(const char* name, Nanoseconds deadline, Ranking& ranking, Status& status,
                              const std::function<Result<Ranking>(const Stop&)>& part) {
  const SteadyTime begun = clock.now();
  auto found = part([this, over = begun + deadline] { return clock.now() > over; });
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

Memory::Memory(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Memory>> Memory::open(const std::string& folder, MemoryOptions options, Clock& clock) {
  auto state = std::make_unique<State>(clock, options);
  state->folder = folder;
  if (Status made = make_folder(folder, options.read_only); !made) return tl::unexpected(made.error());
  const std::string path = folder + "/rows.sqlite";
  if (!options.read_only) {
    if (Status taken = state->writer_lock.take(folder); !taken) return tl::unexpected(taken.error());
    auto writer = SqliteRows::open(path, options);
    if (!writer) return tl::unexpected(writer.error());
    state->writer = std::move(*writer);
  }
  MemoryOptions reading = options;
  reading.read_only = true;
  auto reader = SqliteRows::open(path, reading);
  if (!reader) return tl::unexpected(reader.error());
  state->reader = std::move(*reader);
  if (!options.read_only)
    state->thread = Thread(clock, "memory", [raw = state.get()] { raw->commit_loop(); });
  return std::unique_ptr<Memory>(new Memory(std::move(state)));
}

Memory::~Memory() {
  {
    std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
}

Status Memory::add(Record record) {
  if (state_->options.read_only) return fail(ErrorCode::kUsage, "the memory is open for reading alone");
  if (Status fits = check(record); !fits) return fits;
  std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() + state_->committing >= state_->options.max_waiting) {
    ++state_->counts.refused;
    return fail(ErrorCode::kFull,
                fmt::format("{} records wait to be written: add fewer at a time", state_->waiting.size()),
                true);
  }
  state_->waiting.push_back(std::move(record));
  state_->changed.notify_all();
  return {};
}

Status Memory::flush() {
  if (state_->options.read_only) return {};
  std::unique_lock lock(state_->mutex);
  if (state_->waiting.empty() && state_->committing == 0) return {};
  // One that is under way doesn't hold what came since.
  const std::uint64_t until = state_->attempts + (state_->committing > 0 ? 2 : 1);
  state_->changed.wait(lock, [&] {
    if (state_->attempts >= until || (state_->waiting.empty() && state_->committing == 0)) return true;
    if (state_->committing == 0 && !state_->flush_asked) {
      state_->flush_asked = true;
      state_->changed.notify_all();
    }
    return false;
  });
  return state_->last_commit;
}

Result<Found> Memory::State::search(const SearchQuery& query) {
  const std::vector<std::string> words = query_words(query.text);
  std::lock_guard lock(read_mutex);
  Found found;
  Status status;
  Ranking text;
  Ranking recency;
  if (words.empty()) {
    found.parts.push_back({"text", PartVerdict::kUnused, 0, {}});
    found.parts.push_back(run("recency", query.deadline, recency, status, [&](const Stop& stop) {
      return reader->newest(query.filter, query.limit, stop);
    }));
  } else {
    const int candidates = std::max(query.limit, kCandidatesAtLeast);
    found.parts.push_back(run("text", query.deadline, text, status, [&](const Stop& stop) {
      return reader->by_words(words, query.filter, candidates, stop);
    }));
  }
  if (!status) return tl::unexpected(status.error());
  auto records = reader->get(words.empty() ? recency.ids : text.ids);
  if (!records) return tl::unexpected(records.error());
  if (!words.empty()) {
    recency = by_age(*records);
    found.parts.push_back({"recency", PartVerdict::kMet, static_cast<int>(records->size()), {}});
  }
  for (const auto& [id, score] : fuse({text, recency})) {
    if (found.hits.size() == static_cast<std::size_t>(query.limit)) break;
    const auto record =
        std::find_if(records->begin(), records->end(), [id = id](const Record& one) { return one.id == id; });
    if (record != records->end()) found.hits.push_back({std::move(*record), score});
  }
  return found;
}

Result<Found> Memory::search(const SearchQuery& query) {
  if (query.limit < 1 || query.limit > kMaxHits)
    return fail(ErrorCode::kUsage, fmt::format("limit is {}; it must be 1..{}", query.limit, kMaxHits));
  if (query.text.size() > kMaxQueryText)
    return fail(ErrorCode::kLimit,
                fmt::format("the query has {} bytes; it may have {}", query.text.size(), kMaxQueryText));
  return state_->search(query);
}

Result<Record> Memory::get(std::int64_t id) {
  std::lock_guard lock(state_->read_mutex);
  auto records = state_->reader->get({id});
  if (!records) return tl::unexpected(records.error());
  if (records->empty())
    return fail(ErrorCode::kNotFound, fmt::format("the memory has no record {}: never, or no longer", id));
  return std::move(records->front());
}

Result<MemoryStats> Memory::stats() {
  MemoryStats counts;
  {
    std::lock_guard lock(state_->mutex);
    counts = state_->counts;
    counts.waiting = state_->waiting.size() + state_->committing;
  }
  std::lock_guard lock(state_->read_mutex);
  auto stats = state_->reader->stats();
  if (!stats) return stats;
  stats->bytes = bytes_in(state_->folder);
  stats->waiting = counts.waiting;
  stats->committed = counts.committed;
  stats->refused = counts.refused;
  stats->failed_commits = counts.failed_commits;
  return stats;
}

Result<std::int64_t> Memory::prune(UtcTime before) {
  if (state_->options.read_only) return fail(ErrorCode::kUsage, "the memory is open for reading alone");
  std::lock_guard lock(state_->write_mutex);
  return state_->writer->prune(before);
}

}  // namespace braid::retrieve
