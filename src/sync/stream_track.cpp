#include "stream_track.h"

#include <algorithm>
#include <tuple>

namespace braid::sync {

void StreamTrack::add(const Member& member) {
  const auto later = [](const Member& a, const Held& b) {
    return std::tie(a.at, a.item) < std::tie(b.member.at, b.member.item);
  };
  held_.insert(std::upper_bound(held_.begin(), held_.end(), member, later), Held{member});
  told_ = std::max(told_, member.at);
  if (held_.size() > max_held_) drop_first(true);
}

void StreamTrack::settle(SessionTime nothing_before) {
  bound_ = std::max(bound_, nothing_before);
  if (nothing_before != SessionTime::max()) told_ = std::max(told_, nothing_before);
}

void StreamTrack::assume(SessionTime nothing_before) {
  if (ended_ || nothing_before <= bound_) return;
  if (!assumed_.empty() && assumed_.back().to == bound_)
    assumed_.back().to = nothing_before;
  else
    assumed_.push_back({bound_, nothing_before});
  if (assumed_.size() > max_held_) assumed_.pop_front();
  bound_ = nothing_before;
}

void StreamTrack::end() { ended_ = true; }

void StreamTrack::forget_before(SessionTime time) {
  while (held_.size() > 1 && held_[1].member.at < time) drop_first(false);
  if (time == SessionTime::max() && !held_.empty()) drop_first(false);
  while (!assumed_.empty() && assumed_.front().to <= time) assumed_.pop_front();
}

void StreamTrack::drop_first(bool overflow) {
  if (held_.front().picked)
    ++counts_->in_windows;
  else
    ++(overflow ? counts_->overflow : counts_->in_none);
  held_.pop_front();
}

std::deque<StreamTrack::Held>::const_iterator StreamTrack::first_at(SessionTime time) const {
  return std::lower_bound(held_.begin(), held_.end(), time,
                          [](const Held& held, SessionTime t) { return held.member.at < t; });
}

StreamTrack::Place StreamTrack::first_at(SessionTime time) {
  return held_.begin() + (std::as_const(*this).first_at(time) - held_.cbegin());
}

std::optional<SessionTime> StreamTrack::first_from(SessionTime time) const {
  const auto first = first_at(time);
  return first == held_.end() ? std::nullopt : std::optional(first->member.at);
}

/// By what the stream itself went through, so it doesn't matter when it is asked.
Coverage StreamTrack::coverage(SessionTime from, SessionTime to, bool any) const {
  if (ended_ && bound_ < to) return Coverage::kEnded;
  const auto touches = [&](const Span& span) { return span.from < to && span.to > from; };
  const auto span = std::find_if(assumed_.begin(), assumed_.end(), touches);
  if (span == assumed_.end()) return Coverage::kSettled;
  return !any && span->from <= from && span->to >= to ? Coverage::kMissing : Coverage::kAssumed;
}

StreamPart StreamTrack::part(Place from, const Place& to, SessionTime at) {
  StreamPart part;
  part.stream = key_;
  part.members.reserve(static_cast<std::size_t>(to - from));
  for (; from != to; ++from) {
    from->picked = true;
    part.members.push_back(from->member);
    part.error_bound = std::max(part.error_bound, from->member.error_bound);
  }
  if (!part.members.empty()) part.age = at - part.members.back().at;
  return part;
}

StreamPart StreamTrack::between(SessionTime from, SessionTime to, SessionTime at) {
  StreamPart found = part(first_at(from), first_at(to), at);
  found.coverage = coverage(from, to, !found.members.empty());
  return found;
}

StreamPart StreamTrack::as_of(SessionTime at) {
  const Place after = first_at(at + Nanoseconds(1));
  const bool any = after != held_.begin();
  StreamPart found = part(any ? after - 1 : after, after, at);
  // From what it has on, something newer might have been.
  const SessionTime from = any ? found.members.back().at : at;
  found.coverage = coverage(from, at + Nanoseconds(1), any);
  return found;
}

StreamPart StreamTrack::nearest(SessionTime at, Nanoseconds tolerance) {
  const auto far = [&](const Place& place) { return std::chrono::abs(place->member.at - at); };
  Place best = held_.end();
  const Place after = first_at(at);
  if (after != held_.end() && far(after) <= tolerance) best = after;
  if (after != held_.begin() && far(after - 1) <= tolerance &&
      (best == held_.end() || far(after - 1) <= far(best)))
    best = first_at((after - 1)->member.at);  // of several at one time, the first
  const bool any = best != held_.end();
  StreamPart found = part(best, any ? best + 1 : best, at);
  found.coverage = coverage(at - tolerance, at + tolerance + Nanoseconds(1), any);
  return found;
}

}  // namespace braid::sync
