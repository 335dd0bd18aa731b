#pragma once
// A temporal memory in one folder: what left the model's window, searchable by time and words.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/retrieve/around.h"
#include "braid/retrieve/embedder.h"
#include "braid/retrieve/record.h"
#include "braid/retrieve/search.h"

namespace braid::retrieve {

struct MemoryOptions {
  bool read_only = false;   ///< beside a process that writes, too
  bool must_exist = false;  ///< also where it is written to: no memory is made
  Nanoseconds commit_every = Milliseconds(50);
  std::size_t max_waiting = 8192;  ///< records that were added and aren't committed
  /// Rows, words and vectors in all; beyond, the oldest eighth of the records is forgotten. 0: no bound.
  std::uint64_t max_bytes = 0;
  std::int64_t segment_records = 16384;          ///< then the next segment begins
  std::shared_ptr<Embedder> embedder = nullptr;  ///< none: nothing is found by its meaning
};

struct MemoryStats {
  std::int64_t records = 0;
  std::int64_t segments = 0;
  UtcTime first{}, last{};  ///< with records: earliest start, latest end
  std::uint64_t bytes = 0;  ///< on disk
  /// Of this process:
  std::uint64_t waiting = 0;  ///< added, not committed yet
  std::uint64_t committed = 0;
  std::uint64_t refused = 0;         ///< for want of room
  std::uint64_t failed_commits = 0;  ///< tried again with the next
  std::uint64_t embedded = 0;        ///< records that got their vector
  std::uint64_t forgotten = 0;       ///< for want of room: max_bytes
  std::uint64_t merged = 0;          ///< frames that showed what one before did: its record lasts longer
  std::uint64_t damaged_files = 0;   ///< of vectors, set aside and made anew
};

/// Thread-safe. What is committed is found at once, also by other processes, and a process that is killed
/// loses no more than what waits for its commit. One process writes, any number read.
class Memory {
 public:
  /// Makes the folder, though not its parents, unless `read_only` or `must_exist`. The clock outlives it.
  /// Errors: kNotFound; kFull: another process writes to it; kBadInput: no such memory, or damaged;
  /// kUnsupported: of a later version; kResource.
  static Result<std::unique_ptr<Memory>> open(const std::string& folder, MemoryOptions options, Clock& clock);
  /// Commits what waits.
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Taken to be committed within `commit_every`; doesn't block. kBadInput: no text, or an end before the
  /// start; kLimit: too long; kFull (retryable): too many wait; kUsage: read-only.
  Status add(Record record);
  /// Blocks until all that was added is committed. The error of the commit that failed; they wait on.
  Status flush();
  /// Why the last commit failed, if it did: what waits is tried again, up to max_waiting.
  std::optional<Error> failing() const;
  /// Records that were added and aren't committed.
  std::size_t waiting() const;
  /// Blocks until all that is committed has its vector. The embedder's error: then it makes no more of them.
  Status settle();

  /// Blocks for up to the query's deadline a part. kUsage: limit out of range; kLimit: a longer text;
  /// kBadInput: damaged.
  Result<Found> search(const SearchQuery& query);
  /// kNotFound: there is none, or it was pruned.
  Result<Record> get(std::int64_t id);
  /// What is near it in time or linked with it, the nearest first; see around.h. Blocks. kUsage: out of
  /// range; kNotFound.
  Result<std::vector<Neighbour>> around(std::int64_t id, const AroundQuery& query);
  /// Committed records in the order they were added, those behind `after`, up to `limit`. Blocks.
  Result<std::vector<Record>> page(std::int64_t after, int limit, bool with_vectors);
  /// How many records of an import are there: so far it came, or it is done. Blocks.
  Result<std::int64_t> imported(const std::string& key);
  /// Commits the next ones of an import, all or none, and how far it came. They have the numbers that they
  /// and their links had where they come from, and get new ones. Blocks. kUsage: read-only; those of add().
  Status import_records(const std::string& key, std::vector<Record> records);
  Result<MemoryStats> stats();
  /// What stats() says of this process; doesn't block.
  MemoryStats counts() const;
  /// Forgets all records that end before `before`, and says how many those were. Blocks. kUsage: read-only.
  Result<std::int64_t> prune(UtcTime before);

 private:
  struct State;
  explicit Memory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::retrieve
