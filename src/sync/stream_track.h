#pragma once
// One stream's members and bounds.

#include <deque>

#include "braid/sync/aligned_streams.h"

namespace braid::sync {

class StreamTrack {
 public:
  StreamTrack(StreamKey key, std::size_t max_held, AlignmentCounts& counts)
      : key_(key), max_held_(max_held), counts_(&counts) {}

  void add(const Member& member);
  void settle(SessionTime nothing_before);
  void assume(SessionTime nothing_before);
  void end();
  void forget_before(SessionTime time);

  SessionTime bound() const { return ended_ ? SessionTime::max() : bound_; }
  bool ended() const { return ended_; }
  /// The latest time of a member or settled bound.
  SessionTime told() const { return told_; }
  std::optional<SessionTime> first_from(SessionTime time) const;
  std::size_t held() const { return held_.size(); }

  StreamPart between(SessionTime from, SessionTime to, SessionTime at);
  StreamPart as_of(SessionTime at);
  StreamPart nearest(SessionTime at, Nanoseconds tolerance);

 private:
  struct Held {
    Member member;
    bool picked = false;
  };
  using Place = std::deque<Held>::iterator;

  std::deque<Held>::const_iterator first_at(SessionTime time) const;
  Place first_at(SessionTime time);
  StreamPart part(Place from, const Place& to, SessionTime at);
  Coverage coverage(SessionTime from, SessionTime to, bool any) const;
  void drop_first(bool overflow);

  StreamKey key_;
  std::size_t max_held_;
  AlignmentCounts* counts_;
  std::deque<Held> held_;  // by time, then item
  struct Span {
    SessionTime from, to;
  };
  std::deque<Span> assumed_;  // by time, apart: where lateness moved the bound
  SessionTime bound_ = SessionTime::min();
  SessionTime told_ = SessionTime::min();
  bool ended_ = false;
};

}  // namespace braid::sync
