#include "braid/sync/window_policies.h"

#include <algorithm>

namespace braid::sync {

std::optional<AlignedWindow> AsOf::align(AlignedStreams& streams, SessionTime at) const {
  if (streams.bound() <= at) return std::nullopt;
  return streams.as_of(at);
}

std::optional<AlignedWindow> Nearest::align(AlignedStreams& streams, SessionTime at) const {
  if (streams.bound() <= at + tolerance_) return std::nullopt;
  return streams.nearest(at, tolerance_);
}

std::optional<AlignedWindow> Interval::align(AlignedStreams& streams, SessionTime from,
                                             SessionTime to) const {
  if (streams.bound() < to) return std::nullopt;
  return streams.between(from, to, to);
}

Sliding::Sliding(Nanoseconds length, Nanoseconds hop, SessionTime start)
    : length_(std::max(length, Nanoseconds(1))), hop_(std::max(hop, Nanoseconds(1))), start_(start) {}

/// Passes over windows that are certain to be empty. False: no window is to come.
bool Sliding::skip_empty(const AlignedStreams& streams, SessionTime bound) {
  while (true) {
    // No window before the first member or, without one, before the bound can have any.
    const auto first = streams.first_from(start_of(next_));
    const SessionTime until = std::min(first.value_or(SessionTime::max()), bound);
    if (until >= SessionTime::max() - length_ - hop_)
      return false;  // all have ended, or there are no streams
    if (until < start_of(next_) + length_) return true;
    const std::int64_t next = (until - start_ - length_) / hop_ + 1;
    empty_ += static_cast<std::uint64_t>(next - next_);
    next_ = next;
  }
}

std::optional<AlignedWindow> Sliding::next(AlignedStreams& streams) {
  const SessionTime bound = streams.bound();
  if (!skip_empty(streams, bound)) return std::nullopt;
  std::optional<AlignedWindow> window;
  if (bound >= start_of(next_) + length_) {
    const SessionTime from = start_of(next_++);
    window = streams.between(from, from + length_, from + length_);
  }
  // With gaps between windows the next one may start behind what is certain.
  streams.forget_before(std::min(start_of(next_), bound));
  return window;
}

}  // namespace braid::sync
