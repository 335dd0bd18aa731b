#pragma once
// How a session's time goes with the clock.

#include <algorithm>
#include <atomic>

#include "braid/base/clock.h"
#include "braid/packet/question.h"

namespace braid::serve {

/// Realtime: session time is clock time since start. Fast: session time is how far the streams were followed,
/// and a question's clock runs from the moment it was asked. Thread-safe.
class Pace {
 public:
  Pace(Clock& clock, bool realtime) : clock_(clock), realtime_(realtime), start_(clock.now()) {}

  bool realtime() const { return realtime_; }
  SteadyTime start() const { return start_; }
  /// Session time is `at` now.
  void restart(SessionTime at) {
    start_ = clock_.now() - at.time_since_epoch();
    followed(at);
  }

  SessionTime now() const {
    return realtime_ ? SessionTime(clock_.now() - start_.load()) : SessionTime(Nanoseconds(followed_.load()));
  }
  /// When session time `at` comes on the clock; realtime only.
  SteadyTime when(SessionTime at) const { return start_.load() + at.time_since_epoch(); }
  void followed(SessionTime until) {
    if (until.time_since_epoch().count() > followed_) followed_ = until.time_since_epoch().count();
  }
  /// How old `seen` is at `at`, for whoever asked `question`.
  Nanoseconds age(const Question& question, SessionTime seen, SteadyTime at) const {
    const SessionTime then =
        realtime_ ? SessionTime(at - start_.load()) : question.asked_at + (at - question.asked);
    // A sender whose stamps run ahead of their arrival is as fresh as can be, not fresher.
    return std::max(Nanoseconds::zero(), then - seen);
  }

 private:
  Clock& clock_;
  const bool realtime_;
  std::atomic<SteadyTime> start_;
  std::atomic<std::int64_t> followed_{0};  // ns; one writer
};

}  // namespace braid::serve
