#pragma once
// Sound without holes, and when each of its samples was.

#include <cstdint>
#include <span>
#include <vector>

#include "braid/base/time.h"

namespace braid::sync {

/// A stretch of 16 kHz mono sound: samples by index from its first, of which the oldest may have been
/// dropped. Times come from the stamps of the blocks, so a sender's clock that drifts is followed; within a
/// block they are counted.
class SoundRun {
 public:
  static constexpr Nanoseconds kSample{62'500};           // 1 s / 16,000
  static constexpr Nanoseconds kHole = Milliseconds(10);  // a stamp this far from the count ends the run

  bool empty() const { return anchors_.empty(); }
  void clear();
  /// Would a block that starts at `at` follow without a hole? False when empty.
  bool continues_at(SessionTime at) const;
  /// Says that the next sample appended is at `at`.
  void anchor(SessionTime at);
  void append(std::span<const float> samples);
  void drop_before(std::int64_t index);

  std::int64_t first() const { return first_; }  ///< index of the oldest sample kept
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(samples_.size()); }
  SessionTime time_of(std::int64_t index) const;
  SessionTime end_time() const { return time_of(end()); }
  /// [to - from] samples; first() <= from <= to <= end(). Valid until the next append or drop.
  std::span<const float> view(std::int64_t from, std::int64_t to) const;

 private:
  struct Anchor {
    std::int64_t index;
    SessionTime at;
  };
  std::vector<float> samples_;
  std::int64_t first_ = 0;
  std::vector<Anchor> anchors_;  // by index; the first covers first_
};

}  // namespace braid::sync
