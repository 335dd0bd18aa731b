#pragma once
// Which members of each stream belong together. A policy is a small class with one verb; all of them wait
// until every stream's bound says that the answer can't change, and then give it.

#include <optional>

#include "braid/sync/aligned_streams.h"

namespace braid::sync {

/// The latest at or before a moment: what held then. Ready when every stream has passed it.
class AsOf {
 public:
  std::optional<AlignedWindow> align(AlignedStreams& streams, SessionTime at) const;
};

/// The nearest within a tolerance: what happened at the same time. Ready when every stream has passed the
/// moment by the tolerance.
class Nearest {
 public:
  explicit Nearest(Nanoseconds tolerance = Milliseconds(16)) : tolerance_(tolerance) {}
  std::optional<AlignedWindow> align(AlignedStreams& streams, SessionTime at) const;

 private:
  Nanoseconds tolerance_;
};

/// All in [from, to). Ready when every stream has got to `to`.
class Interval {
 public:
  std::optional<AlignedWindow> align(AlignedStreams& streams, SessionTime from, SessionTime to) const;
};

/// All in [start + k hop, start + k hop + length), for k = 0, 1, ... Windows in which no stream has a member
/// are passed over and counted, so that a jump of the streams' clocks costs nothing. What lies before the
/// next window is forgotten. One thread.
class Sliding {
 public:
  /// `length` and `hop` positive; a hop beyond the length leaves gaps.
  Sliding(Nanoseconds length, Nanoseconds hop, SessionTime start = kSessionStart);
  /// The next window if it can't change any more. After the streams' end: those up to the last member.
  std::optional<AlignedWindow> next(AlignedStreams& streams);
  std::uint64_t empty() const { return empty_; }  ///< windows passed over

 private:
  SessionTime start_of(std::int64_t k) const { return start_ + k * hop_; }
  bool skip_empty(const AlignedStreams& streams, SessionTime bound);

  Nanoseconds length_, hop_;
  SessionTime start_;
  std::int64_t next_ = 0;
  std::uint64_t empty_ = 0;
};

}  // namespace braid::sync
