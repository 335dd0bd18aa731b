#pragma once
// The least delay of a path, as it moves with the skew of two clocks.

#include <array>
#include <cstdint>

#include "clock/lower_hull.h"

namespace braid::sync {

/// Delays over the floor, ns.
struct JitterFigures {
  double mean = 0, deviation = 0, peak_to_peak = 0;
};

/// Keeps the least delay of each half second of the last minute, 120 of them, whatever the packet rate. Times
/// and delays are ns from an origin that the caller keeps near. A point of any order in time within the
/// minute is taken.
class DelayFloor {
 public:
  static constexpr double kBucket = 0.5e9;
  static constexpr std::int64_t kBuckets = 120;
  static constexpr double kSteepest = 500e-6;      ///< no clock gains or loses more
  static constexpr double kUnknownSkew = 200e-6;   ///< of a clock that isn't known yet, for bounds
  static constexpr double kUncertainSkew = 20e-6;  ///< of one that is, while nobody looks
  static constexpr double kHullFrom = 10e9;        ///< until then the windowed minimum

  void add(double at, double delay);
  /// Forgets all points; with `keep_skew` not how fast the clock is.
  void clear(bool keep_skew);

  bool empty() const { return packets_ == 0; }
  bool skew_known() const { return skew_known_; }
  bool settled() const { return by_hull_; }
  double slope() const { return line_.slope; }
  double value(double at) const { return line_.value(at); }
  /// The floor at `at` is this sure, path and all that is constant left out.
  double uncertainty(double at) const;
  /// A packet may come this much before the floor and still be a luckier one.
  double tolerance(double at) const;
  double mean_jitter() const { return mean_jitter_; }
  JitterFigures jitter() const;

 private:
  struct Bucket {
    std::int64_t number = -1;
    DelayPoint least;
    double packets = 0, sum = 0, squares = 0, most = 0, fewest = 0;  // of delays over the floor
  };
  static std::size_t slot_of(std::int64_t number);
  bool is_current(const Bucket& bucket) const;
  double wander(double at) const;
  void count(Bucket& bucket, double at, double delay);
  void fit();
  void fit_minimum(std::span<const DelayPoint> points);

  std::array<Bucket, kBuckets> buckets_;
  std::int64_t newest_ = 0;  // number of the newest bucket
  double newest_at_ = 0;
  DelayLine line_;
  double residual_ = 0;  // how far the line is under what it was made from, on average
  double mean_jitter_ = 0;
  std::uint64_t packets_ = 0;
  bool by_hull_ = false;
  bool skew_known_ = false;
};

}  // namespace braid::sync
