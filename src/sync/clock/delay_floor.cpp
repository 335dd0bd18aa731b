#include "clock/delay_floor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace braid::sync {
namespace {

constexpr double kMinimumOver = 2e9;  // ns, of the windowed minimum
constexpr double kMinimumPackets = 16;
constexpr std::size_t kHullPoints = 8;
constexpr double kSurePackets = 16;  // before, hardly anything is implausible
constexpr double kOpenTolerance = 500e6;
constexpr double kLeastTolerance = 1e6;
constexpr double kYoungTolerance = 20e6;
constexpr double kJitterWeight = 1.0 / 64;

}  // namespace

std::size_t DelayFloor::slot_of(std::int64_t number) {
  return static_cast<std::size_t>(((number % kBuckets) + kBuckets) % kBuckets);
}

bool DelayFloor::is_current(const Bucket& bucket) const {
  return bucket.packets > 0 && bucket.number > newest_ - kBuckets;
}

void DelayFloor::clear(bool keep_skew) {
  const double slope = keep_skew ? line_.slope : 0;
  const bool known = keep_skew && skew_known_;
  const double jitter = mean_jitter_;
  *this = DelayFloor{};
  line_.slope = slope;
  skew_known_ = known;
  mean_jitter_ = keep_skew ? jitter : 0;
}

void DelayFloor::add(double at, double delay) {
  const auto number = static_cast<std::int64_t>(std::floor(at / kBucket));
  if (packets_ == 0) {
    newest_ = number;
    line_.through = {at, delay};
  }
  if (number <= newest_ - kBuckets) return;
  Bucket& bucket = buckets_[slot_of(number)];
  const bool begins = bucket.packets == 0 || bucket.number != number;
  if (begins) bucket = {number, {at, delay}, 0, 0, 0, 0, 0};
  const bool lower = delay - line_.slope * at < bucket.least.delay - line_.slope * bucket.least.at;
  if (lower) bucket.least = {at, delay};
  newest_ = std::max(newest_, number);
  newest_at_ = packets_ == 0 ? at : std::max(newest_at_, at);
  ++packets_;
  if (begins || lower) fit();
  count(bucket, at, delay);
}

void DelayFloor::count(Bucket& bucket, double at, double delay) {
  const double over = std::max(0.0, delay - value(at));
  if (bucket.packets == 0) bucket.fewest = over;
  ++bucket.packets;
  bucket.sum += over;
  bucket.squares += over * over;
  bucket.most = std::max(bucket.most, over);
  bucket.fewest = std::min(bucket.fewest, over);
  const double weight = std::max(kJitterWeight, 1.0 / static_cast<double>(packets_));
  mean_jitter_ += weight * (over - mean_jitter_);
}

void DelayFloor::fit() {
  std::array<DelayPoint, kBuckets> points;
  std::size_t n = 0;
  for (std::int64_t number = newest_ - kBuckets + 1; number <= newest_; ++number) {
    const Bucket& bucket = buckets_[slot_of(number)];
    // The bucket that was just begun holds its first packet, though it isn't counted yet.
    if (bucket.number == number && (bucket.packets > 0 || number == newest_)) points[n++] = bucket.least;
  }
  const std::span<DelayPoint> all(points.data(), n);
  by_hull_ = n >= kHullPoints && points[n - 1].at - points[0].at >= kHullFrom;
  if (!by_hull_) return fit_minimum(all);
  std::array<DelayPoint, kBuckets> scratch = points;
  line_ = line_under(std::span(scratch.data(), n), kSteepest);
  skew_known_ = true;
  residual_ = 0;
  for (const DelayPoint& point : all) residual_ += (point.delay - value(point.at)) / static_cast<double>(n);
}

// With the skew that was known before, if any.
void DelayFloor::fit_minimum(std::span<const DelayPoint> points) {
  std::size_t first = points.size() - 1;
  double packets = 0;
  for (;; --first) {
    packets += std::max(
        1.0, buckets_[slot_of(static_cast<std::int64_t>(std::floor(points[first].at / kBucket)))].packets);
    if (first == 0) break;
    if (newest_at_ - points[first - 1].at > kMinimumOver && packets >= kMinimumPackets) break;
  }
  const auto window = points.subspan(first);
  line_ = line_under_of_slope(window, line_.slope);
  const double span = newest_at_ - window.front().at;
  residual_ = 2.5 * mean_jitter_ / packets + (skew_known_ ? kUncertainSkew : kUnknownSkew) * span;
}

double DelayFloor::wander(double at) const {
  return (skew_known_ ? kUncertainSkew : kUnknownSkew) * std::max(0.0, at - newest_at_);
}

double DelayFloor::uncertainty(double at) const { return 2 * residual_ + wander(at); }

double DelayFloor::tolerance(double at) const {
  double room = kOpenTolerance;
  if (by_hull_)
    room = std::max(kLeastTolerance, mean_jitter_ / 2);
  else if (static_cast<double>(packets_) >= kSurePackets)
    room = std::max(kYoungTolerance, 4 * mean_jitter_);
  return room + wander(at);
}

JitterFigures DelayFloor::jitter() const {
  double packets = 0, sum = 0, squares = 0, most = 0;
  double fewest = std::numeric_limits<double>::max();
  for (const Bucket& bucket : buckets_) {
    if (!is_current(bucket)) continue;
    packets += bucket.packets;
    sum += bucket.sum;
    squares += bucket.squares;
    most = std::max(most, bucket.most);
    fewest = std::min(fewest, bucket.fewest);
  }
  if (packets == 0) return {};
  const double mean = sum / packets;
  return {mean, std::sqrt(std::max(0.0, squares / packets - mean * mean)), most - fewest};
}

}  // namespace braid::sync
