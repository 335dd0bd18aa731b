#pragma once
// Rows and full text, whatever database keeps them.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/retrieve/memory.h"
#include "fusion.h"
#include "vectors/block.h"

namespace braid::retrieve {

/// Asked now and then by what may take long; true: stop, with kLate.
using Stop = std::function<bool()>;

/// Records that lie together, in the order they were added.
struct SegmentSpan {
  std::int64_t id = 0;
  std::int64_t first_id = 0, last_id = 0;  ///< of its records
  bool full = false;                       ///< what is added goes to a later one
  bool inside = false;                     ///< all its records are as the filter wants them
};

/// A link as it is kept.
struct KeptLink {
  std::int64_t from = 0;
  RecordLink link;
};

/// The record `of` says the same as `into`, which stands for it from now on.
struct Merge {
  std::int64_t into = 0, of = 0;
};

/// One thread at a time.
class RowStore {
 public:
  virtual ~RowStore() = default;

  /// All or none; gives them their ids.
  virtual Status append(std::vector<Record>& records) = 0;
  /// Records with any of the words, best first (BM25: Robertson, Walker 1994). Words that more than one
  /// record in a hundred has are left out where there are rarer ones.
  virtual Result<Ranking> by_words(const std::vector<std::string>& words, const Filter& filter, int limit,
                                   const Stop& stop) = 0;
  /// Newest end first.
  virtual Result<Ranking> newest(const Filter& filter, int limit, const Stop& stop) = 0;
  /// Earliest end first.
  virtual Result<Ranking> earliest(const Filter& filter, int limit, const Stop& stop) = 0;
  /// From and to the record, with others that are there.
  virtual Result<std::vector<KeptLink>> links(std::int64_t id) = 0;
  /// Behind `after`, in the order they were added.
  virtual Result<std::vector<Record>> page(std::int64_t after, int limit, bool with_vectors) = 0;
  virtual Result<std::int64_t> imported(const std::string& key) = 0;
  virtual Status import_records(const std::string& key, std::vector<Record>& records) = 0;
  /// Those that are there, in the order of `ids`.
  virtual Result<std::vector<Record>> get(const std::vector<std::int64_t>& ids) = 0;
  virtual Result<MemoryStats> stats() = 0;

  /// Segments that may hold such records, newest first.
  virtual Result<std::vector<SegmentSpan>> spans(const Filter& filter) = 0;
  /// Records of the segment that are as the filter wants them, ascending.
  virtual Result<std::vector<std::int64_t>> ids(const SegmentSpan& span, const Filter& filter) = 0;
  /// Of records from `first_id` to `last_id`. A space that isn't there holds none.
  virtual Result<VectorBlock> vectors(const std::string& space, std::int64_t first_id,
                                      std::int64_t last_id) = 0;
  /// Of these records, ascending, as far as they have one.
  virtual Result<VectorBlock> vectors(const std::string& space, const std::vector<std::int64_t>& ids) = 0;
  /// The highest id that has one; 0: none.
  virtual Result<std::int64_t> newest_vector(const std::string& space) = 0;
  /// The oldest of those behind `after`; readings, which are found by their numbers and times, get none.
  virtual Result<std::vector<Record>> unembedded(std::int64_t after, int limit) = 0;
  /// Vectors of those that are not merged, too. All or none.
  virtual Status append_vectors(const std::string& space, const VectorBlock& block,
                                const std::vector<Merge>& merges) = 0;
  virtual Result<std::int64_t> prune(UtcTime before) = 0;
  /// What its records take.
  virtual Result<std::uint64_t> bytes() = 0;
  /// A time before which one record in so many has ended, and at least one; max: there is none.
  virtual Result<UtcTime> oldest(std::int64_t one_in) = 0;
};

}  // namespace braid::retrieve
