#include "braid/retrieve/memory.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "braid/base/utf8.h"
#include "memory_state.h"
#include "sqlite/rows.h"

namespace braid::retrieve {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRows = "/rows.sqlite";
constexpr std::int64_t kForgottenShare = 8;  // one in so many

Status make_folder(const std::string& folder, const MemoryOptions& options) {
  std::error_code error;
  const bool there = fs::is_directory(folder, error);
  if (!there && fs::exists(folder, error))
    return fail(ErrorCode::kBadInput, fmt::format("{} is a file; a memory is a folder", folder));
  if ((options.read_only || options.must_exist) && !fs::exists(folder + kRows, error))
    return fail(
        ErrorCode::kNotFound,
        fmt::format("there is no memory {}: braid memory add and braid watch --memory make one", folder));
  if (there) return {};
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

Status check_record(Record& record) {
  record.text = to_valid_utf8(record.text);
  record.source = to_valid_utf8(record.source);
  if (record.text.empty()) return fail(ErrorCode::kBadInput, "the record has no text");
  if (record.text.size() > kMaxRecordText)
    return fail(ErrorCode::kLimit, fmt::format("the record's text has {} bytes; it may have {}",
                                               record.text.size(), kMaxRecordText));
  if (record.session.size() > kMaxSourceName)
    return fail(ErrorCode::kLimit, fmt::format("the session's id has {} bytes; it may have {}",
                                               record.session.size(), kMaxSourceName));
  if (record.source.size() > kMaxSourceName)
    return fail(ErrorCode::kLimit, fmt::format("the source's name has {} bytes; it may have {}",
                                               record.source.size(), kMaxSourceName));
  if (Status fits = check_vectors(record); !fits) return fits;
  if (record.links.size() > kMaxLinks)
    return fail(ErrorCode::kLimit,
                fmt::format("the record has {} links; it may have {}", record.links.size(), kMaxLinks));
  if (record.end < record.start)
    return fail(ErrorCode::kBadInput,
                fmt::format("the record ends at {} before it starts at {}", calendar::utc_text(record.end),
                            calendar::utc_text(record.start)));
  return {};
}

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
    embed_due = true;
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
    if (options.max_bytes > 0) {
      lock.unlock();
      keep_within_bounds();
      lock.lock();
    }
    if (closing) return;
  }
}

Result<std::int64_t> Memory::State::prune(UtcTime before) {
  std::lock_guard writing(write_mutex);
  auto pruned = writer->prune(before);
  if (!pruned) return pruned;
  std::lock_guard reading(read_mutex);
  if (const auto spans = reader->spans({})) vectors->keep_only(*spans);
  return pruned;
}

void Memory::State::keep_within_bounds() {
  Result<UtcTime> before = UtcTime::max();
  {
    std::lock_guard writing(write_mutex);
    const auto bytes = writer->bytes();
    if (!bytes || *bytes <= options.max_bytes) return;
    before = writer->oldest(kForgottenShare);
  }
  if (!before) return;
  const auto pruned = prune(*before);
  std::lock_guard lock(mutex);
  if (pruned) counts.forgotten += static_cast<std::uint64_t>(*pruned);
}

Memory::Memory(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Memory>> Memory::open(const std::string& folder, MemoryOptions chosen, Clock& clock) {
  auto state = std::make_unique<State>(clock, std::move(chosen));
  const MemoryOptions& options = state->options;
  state->folder = folder;
  if (Status made = make_folder(folder, options); !made) return tl::unexpected(made.error());
  const std::string path = folder + kRows;
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
  state->vectors = std::make_unique<VectorIndex>(folder, !options.read_only);
  if (!options.read_only)
    state->thread = Thread(clock, "memory", [raw = state.get()] { raw->commit_loop(); });
  if (!options.read_only && options.embedder)
    state->embed_thread = Thread(clock, "embed", [raw = state.get()] { raw->embed_loop(); });
  return std::unique_ptr<Memory>(new Memory(std::move(state)));
}

Memory::~Memory() {
  {
    std::lock_guard lock(state_->mutex);
    state_->closing = true;
    state_->changed.notify_all();
  }
  state_->thread.join();
  state_->embed_thread.join();
}

Status Memory::add(Record record) {
  if (state_->options.read_only) return fail(ErrorCode::kUsage, "the memory is open for reading alone");
  if (Status fits = check_record(record); !fits) return fits;
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

std::optional<Error> Memory::failing() const {
  std::lock_guard lock(state_->mutex);
  if (state_->last_commit) return std::nullopt;
  return state_->last_commit.error();
}

std::size_t Memory::waiting() const {
  std::lock_guard lock(state_->mutex);
  return state_->waiting.size() + state_->committing;
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

Result<Record> Memory::get(std::int64_t id) {
  std::lock_guard lock(state_->read_mutex);
  auto records = state_->reader->get({id});
  if (!records) return tl::unexpected(records.error());
  if (records->empty())
    return fail(ErrorCode::kNotFound, fmt::format("the memory has no record {}: never, or no longer", id));
  return std::move(records->front());
}

MemoryStats Memory::counts() const {
  std::lock_guard lock(state_->mutex);
  MemoryStats counts = state_->counts;
  counts.waiting = state_->waiting.size() + state_->committing;
  return counts;
}

Result<MemoryStats> Memory::stats() {
  const MemoryStats counts = this->counts();
  std::lock_guard lock(state_->read_mutex);
  auto stats = state_->reader->stats();
  if (!stats) return stats;
  stats->bytes = bytes_in(state_->folder);
  stats->waiting = counts.waiting;
  stats->committed = counts.committed;
  stats->refused = counts.refused;
  stats->failed_commits = counts.failed_commits;
  stats->embedded = counts.embedded;
  stats->merged = counts.merged;
  stats->forgotten = counts.forgotten;
  stats->damaged_files = state_->vectors->damaged();
  return stats;
}

Result<std::int64_t> Memory::prune(UtcTime before) {
  if (state_->options.read_only) return fail(ErrorCode::kUsage, "the memory is open for reading alone");
  return state_->prune(before);
}

}  // namespace braid::retrieve
