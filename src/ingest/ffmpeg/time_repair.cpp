#include "time_repair.h"

#include <algorithm>

namespace braid::ingest::ffmpeg {

namespace {

constexpr Nanoseconds kAgrees = std::chrono::seconds(1);

/// `time` moved by whole periods to be nearest to `near`.
Nanoseconds unwrapped(Nanoseconds time, Nanoseconds near, Nanoseconds wrap) {
  if (wrap <= Nanoseconds{}) return time;
  const Nanoseconds distance = near - time;
  const auto periods = (distance + (distance < Nanoseconds{} ? -wrap / 2 : wrap / 2)) / wrap;
  return time + periods * wrap;
}

}  // namespace

Nanoseconds TimeRepair::shift(int stream, Nanoseconds time, Nanoseconds duration, Nanoseconds wrap) {
  auto [it, first] = streams_.try_emplace(stream);
  Stream& state = it->second;
  if (first) {
    Nanoseconds near = origin_.value_or(time);
    for (const auto& [other, known] : streams_)
      if (other != stream) {
        state.shift = known.shift;
        near = known.expected;
      }
    state.expected = unwrapped(time + state.shift, near, wrap);
  }
  Nanoseconds at = unwrapped(time + state.shift, state.expected, wrap);
  const Nanoseconds step = at - state.expected;
  if (step >= -kBack && step <= kForward) {
    state.suspected.reset();
    state.expected = at + duration;
    return at - time;
  }
  const bool confirmed = state.suspected && std::chrono::abs(at - *state.suspected) <= kAgrees;
  if (!confirmed) {
    state.suspected = at + duration;
    state.jump = step;
    at = state.expected;
  } else {
    if (step < Nanoseconds{} || step > kLongestHole) {
      state.shift = shift_after_reset(stream, time);
      at = time + state.shift;
    } else {
      belated_ = state.jump;
    }
    state.suspected.reset();
  }
  state.expected = at + duration;
  return at - time;
}

Nanoseconds TimeRepair::shift_after_reset(int stream, Nanoseconds time) const {
  const Stream& own = streams_.at(stream);
  Nanoseconds latest = Nanoseconds::min();
  for (const auto& [other, known] : streams_) {
    if (known.shift != own.shift && std::chrono::abs(time + known.shift - own.expected) <= kSameReset)
      return known.shift;
    latest = std::max(latest, known.expected);
  }
  return latest - time;
}

}  // namespace braid::ingest::ffmpeg
