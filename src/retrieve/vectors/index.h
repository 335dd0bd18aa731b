#pragma once
// Which records are like a vector.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "row_store.h"
#include "vectors/sealed.h"

namespace braid::retrieve {

/// Exact search, segment by segment as the rows lie. A segment that is full has a file of 8-bit vectors, read
/// once and scanned; its best candidates are scored again by the rows' own f32. The segment that still grows
/// is scanned as it is. All of it can be had from the rows again: a file that is missing is made, one that is
/// damaged is set aside first. One thread at a time.
class VectorIndex {
 public:
  /// `may_write`: the files that are missing; else what would be in them is held in memory.
  VectorIndex(std::string folder, bool may_write) : folder_(std::move(folder)), may_write_(may_write) {}

  /// By inner product, best first, no worse than `least`. A space that isn't there has none. kLate: stopped.
  Result<Ranking> nearest(RowStore& rows, const std::string& space, std::span<const float> query,
                          const Filter& filter, int limit, float least, const Stop& stop);

  /// Files of other segments are deleted.
  void keep_only(const std::vector<SegmentSpan>& spans);
  /// Files that were damaged and set aside, so far.
  std::uint64_t damaged() const { return damaged_; }

 private:
  struct Scored {
    float score;
    std::int64_t id;
    bool exact;
  };
  struct Segment {
    SealedKey key;
    std::string bytes;             // of a full one's file
    std::optional<Sealed> sealed;  // views of them
    VectorBlock growing;
  };
  class Best;

  Result<Segment*> load(RowStore& rows, const std::string& space, const SegmentSpan& span);
  Status seal(RowStore& rows, const std::string& space, const SegmentSpan& span, Segment& segment);
  std::string path_of(const SealedKey& key, std::int64_t segment) const;
  Status rescore(RowStore& rows, const std::string& space, std::span<const float> query,
                 std::vector<Scored>& found) const;

  const std::string folder_;
  const bool may_write_;
  std::map<std::pair<std::uint32_t, std::int64_t>, Segment> segments_;  // by space and segment
  std::uint64_t damaged_ = 0;
};

}  // namespace braid::retrieve
