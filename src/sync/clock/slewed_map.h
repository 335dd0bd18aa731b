#pragma once
// Source time to session time, never going back.

#include <array>
#include <cstddef>
#include <cstdint>

namespace braid::sync {

/// A growing polyline through what packets were mapped to, ns on both axes. It is only ever extended at its
/// end, so what it says of a time stays said; it remembers the last kKnots packets. What lies further back is
/// mapped to the oldest of them, which no later than that was ever said of.
class SlewedMap {
 public:
  static constexpr std::size_t kKnots = 256;
  static constexpr std::int64_t kLimit = std::int64_t{1} << 61;  ///< of all times, ns

  /// Another clock begins; its first time is not before the last one's newest.
  void begin_epoch() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  /// The latest time that was given to anything.
  std::int64_t frontier() const { return frontier_; }

  /// `source` is newer than the newest; wanted: `target`, at most `latest`, which is not before the frontier.
  /// The step from the newest packet is longer or shorter than its time on the source by at most `rate` of
  /// it. Returns what it is mapped to.
  std::int64_t extend(std::int64_t source, std::int64_t target, std::int64_t latest, double rate);
  /// `source` is not newer than the newest.
  std::int64_t at(std::int64_t source) const;

 private:
  struct Knot {
    std::int64_t source = 0, session = 0;
  };
  const Knot& knot(std::size_t i) const { return knots_[(first_ + i) % kKnots]; }

  std::array<Knot, kKnots> knots_;
  std::size_t first_ = 0, count_ = 0;
  std::int64_t frontier_ = -kLimit;
};

}  // namespace braid::sync
