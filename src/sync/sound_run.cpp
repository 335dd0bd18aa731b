#include "sound_run.h"

#include <algorithm>

namespace braid::sync {

namespace {
// Containers round stamps to as much as a millisecond; following that would only add noise.
constexpr Nanoseconds kRounding = Milliseconds(2);

Nanoseconds distance(SessionTime a, SessionTime b) { return a > b ? a - b : b - a; }
}  // namespace

void SoundRun::clear() {
  samples_.clear();
  anchors_.clear();
  first_ = 0;
}

bool SoundRun::continues_at(SessionTime at) const { return !empty() && distance(at, end_time()) <= kHole; }

void SoundRun::anchor(SessionTime at) {
  if (empty() || distance(at, end_time()) > kRounding) anchors_.push_back({end(), at});
}

void SoundRun::append(std::span<const float> samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

void SoundRun::drop_before(std::int64_t index) {
  index = std::min(index, end());
  if (index <= first_) return;
  samples_.erase(samples_.begin(), samples_.begin() + (index - first_));
  first_ = index;
  while (anchors_.size() > 1 && anchors_[1].index <= first_) anchors_.erase(anchors_.begin());
}

SessionTime SoundRun::time_of(std::int64_t index) const {
  auto after = std::upper_bound(anchors_.begin(), anchors_.end(), index,
                                [](std::int64_t i, const Anchor& anchor) { return i < anchor.index; });
  const Anchor& anchor = after == anchors_.begin() ? anchors_.front() : *(after - 1);
  return anchor.at + (index - anchor.index) * kSample;
}

std::span<const float> SoundRun::view(std::int64_t from, std::int64_t to) const {
  return std::span(samples_).subspan(static_cast<std::size_t>(from - first_),
                                     static_cast<std::size_t>(to - from));
}

}  // namespace braid::sync
