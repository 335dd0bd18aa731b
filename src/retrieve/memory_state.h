#pragma once
// What the parts of a memory share: committing (memory.cpp), vectors (memory_embed.cpp), searching
// (memory_search.cpp).

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/retrieve/memory.h"
#include "repeats.h"
#include "row_store.h"
#include "vectors/index.h"
#include "writer_lock.h"

namespace braid::retrieve {

/// Makes its texts valid; the errors of Memory::add().
Status check_record(Record& record);
/// At the ends of what can be held.
UtcTime earlier(UtcTime time, Nanoseconds by);
UtcTime later(UtcTime time, Nanoseconds by);

/// What the parts of a memory share.
struct Memory::State {
  State(Clock& time, MemoryOptions chosen) : options(std::move(chosen)), clock(time), changed(time) {}

  void commit_loop();
  Result<std::int64_t> prune(UtcTime before);
  /// Forgets the oldest where there is too much.
  void keep_within_bounds();
  void commit(std::unique_lock<std::mutex>& lock);
  void embed_loop();
  /// False: nothing was left to do.
  Result<bool> embed_some();
  /// `near`: another ranking of records in the range.
  Result<Found> search(const SearchQuery& query, const std::function<Result<Ranking>(const Stop&)>& near);
  Result<Found> newest(const SearchQuery& query);
  Result<Found> by_words_and_meaning(const std::vector<std::string>& words, const SearchQuery& query,
                                     const std::function<Result<Ranking>(const Stop&)>& near);
  /// Told by another event.
  Result<Found> search_relative(const SearchQuery& query);
  Result<std::optional<Record>> find_event(const SearchQuery& query, SearchPart& account);
  Result<Ranking> nearest(const Record& event, const SearchQuery& query, const Stop& stop);
  /// Under read_mutex.
  Result<std::vector<Neighbour>> linked(const Record& record, int hops);
  Result<std::vector<Neighbour>> near(const Record& record, const AroundQuery& query, int hops);
  /// A part's deadline counts from `begun`.
  SearchPart run(const char* name, SteadyTime begun, const SearchQuery& query, Ranking& ranking,
                 Status& status, const std::function<Result<Ranking>(const Stop&)>& part);

  const MemoryOptions options;
  Clock& clock;
  std::string folder;
  WriterLock writer_lock;

  std::mutex read_mutex;  // guards `reader` and `vectors`
  std::unique_ptr<RowStore> reader;
  std::unique_ptr<VectorIndex> vectors;
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
  bool embed_due = true;  // records may be there without a vector
  bool embeds = false;    // some are being made
  Status embedded;        // after an error no more are made
  Repeats repeats;        // the embed thread's
  Thread thread, embed_thread;
};

}  // namespace braid::retrieve
