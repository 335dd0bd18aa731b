#include "braid/sync/lateness.h"

#include <algorithm>

namespace braid::sync {

namespace {

// A packet's weight against the next one's: 512 to 513. What is 2,400 packets old weighs a hundredth.
constexpr int kForgetShift = 9;
constexpr std::uint64_t kFirstWeight = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostWeight = std::uint64_t{1} << 40;

}  // namespace

LatenessHistogram::LatenessHistogram(LatenessOptions options)
    : options_(options),
      width_(std::max<std::int64_t>(1, options.cap.count() / static_cast<std::int64_t>(kBuckets - 1))),
      weight_(kFirstWeight) {}

void LatenessHistogram::add(Nanoseconds lateness) {
  const std::int64_t late = std::max<std::int64_t>(0, lateness.count());
  const auto bucket = std::min<std::int64_t>(late / width_.count(), kBuckets - 1);
  buckets_[static_cast<std::size_t>(bucket)] += weight_;
  total_ += weight_;
  weight_ += weight_ >> kForgetShift;
  if (weight_ > kMostWeight) rescale();
  count_ = std::min(count_ + 1, kEnough);
}

/// All weights back to where they began, in the same proportion.
void LatenessHistogram::rescale() {
  constexpr int kShift = 20;
  total_ = 0;
  for (std::uint64_t& bucket : buckets_) total_ += bucket >>= kShift;
  weight_ >>= kShift;
}

Nanoseconds LatenessHistogram::wait() const {
  if (count_ < kEnough) return options_.cap;
  const std::uint64_t late = total_ / 1000 * static_cast<std::uint64_t>(1000 - options_.target_per_mille);
  std::uint64_t later = 0;  // weight of the buckets behind
  std::size_t bucket = kBuckets;
  while (bucket > 1 && later + buckets_[bucket - 1] <= late) later += buckets_[--bucket];
  return std::min(options_.cap, std::max(options_.floor, width_ * static_cast<std::int64_t>(bucket)));
}

void LiveBounds::add(StreamKey stream) { streams_.try_emplace(stream, Live{LatenessHistogram(options_)}); }

void LiveBounds::remove(StreamKey stream) { streams_.erase(stream); }

void LiveBounds::arrived(StreamKey stream, SessionTime stamp, SessionTime now) {
  if (const auto found = streams_.find(stream); found != streams_.end())
    found->second.lateness.add(now - stamp);
}

std::vector<Advance> LiveBounds::advance(SessionTime now) {
  std::vector<Advance> moved;
  for (auto& [stream, live] : streams_) {
    const SessionTime bound = now - live.lateness.wait();
    if (bound <= live.told) continue;
    live.told = bound;
    moved.push_back({stream, bound});
  }
  return moved;
}

std::optional<Nanoseconds> LiveBounds::wait(StreamKey stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? std::nullopt : std::optional(found->second.lateness.wait());
}

}  // namespace braid::sync
