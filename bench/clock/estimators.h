#pragma once
// What Braid's clock is compared with. Each gives session time for a stamp and an arrival, all in ns.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

namespace braid::bench {

/// The first packet tells the offset, for ever.
class FirstPacket {
 public:
  double map(std::int64_t stamp, std::int64_t arrival) {
    if (!offset_) offset_ = arrival - stamp;
    return static_cast<double>(stamp + *offset_);
  }

 private:
  std::optional<std::int64_t> offset_;
};

/// The running mean of the differences, with weight 1/125.
class RunningMean {
 public:
  double map(std::int64_t stamp, std::int64_t arrival) {
    if (!first_) first_ = arrival - stamp;
    const auto difference = static_cast<double>(arrival - stamp - *first_);
    mean_ += (difference - mean_) / 125;
    return static_cast<double>(stamp + *first_) + mean_;
  }

 private:
  std::optional<std::int64_t> first_;
  double mean_ = 0;
};

/// A line through the differences of the last 60 s, by least squares.
class LeastSquares {
 public:
  double map(std::int64_t stamp, std::int64_t arrival) {
    if (!first_) first_ = Pair{stamp, arrival - stamp};
    // Seconds and milliseconds: sums of squares stay small.
    const double x = static_cast<double>(stamp - first_->stamp) / 1e9;
    const double y = static_cast<double>(arrival - stamp - first_->difference) / 1e6;
    add(x, y, 1);
    seen_.push_back({x, y});
    for (; seen_.front().x < x - 60; seen_.pop_front()) add(seen_.front().x, seen_.front().y, -1);
    const double spread = n_ * xx_ - x_ * x_;
    const double slope = spread > 1e-9 ? (n_ * xy_ - x_ * y_) / spread : 0;
    const double line = (y_ - slope * x_) / n_ + slope * x;
    return static_cast<double>(stamp + first_->difference) + 1e6 * line;
  }

 private:
  struct Pair {
    std::int64_t stamp, difference;
  };
  struct Point {
    double x, y;
  };
  void add(double x, double y, double sign) {
    n_ += sign, x_ += sign * x, y_ += sign * y, xx_ += sign * x * x, xy_ += sign * x * y;
  }

  std::optional<Pair> first_;
  std::deque<Point> seen_;
  double n_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

/// The least difference of the last two seconds, smoothed with weight 1/125 (Fober, Orlarey, Letz 2005).
class WindowedMinimum {
 public:
  double map(std::int64_t stamp, std::int64_t arrival) {
    if (!first_) first_ = arrival - stamp;
    const std::int64_t difference = arrival - stamp - *first_;
    while (!least_.empty() && least_.back().difference >= difference) least_.pop_back();
    least_.push_back({stamp, difference});
    while (least_.front().stamp < stamp - 2'000'000'000) least_.pop_front();
    const auto now = static_cast<double>(least_.front().difference);
    if (!smooth_) smooth_ = now;
    *smooth_ += (now - *smooth_) / 125;
    return static_cast<double>(stamp + *first_) + *smooth_;
  }

 private:
  struct Seen {
    std::int64_t stamp, difference;
  };
  std::optional<std::int64_t> first_;
  std::deque<Seen> least_;  // differences grow
  std::optional<double> smooth_;
};

}  // namespace braid::bench
