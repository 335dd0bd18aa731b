#pragma once
// Counts by size that any thread may add to while another reads.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "braid/base/time.h"

namespace braid::serve {

/// Upper bounds, seconds. Stages of a small model take less than 10 ms: nine in ten servers' buckets start
/// there.
inline constexpr std::array kSecondsBounds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.04,
                                              0.06,   0.08,  0.1,   0.25,  0.5,  0.75, 1.0,
                                              2.5,    5.0,   7.5,   10.0,  20.0, 40.0, 80.0};
/// Upper bounds, tokens.
inline constexpr std::array kTokensBounds = {1.0,   2.0,   5.0,    10.0,   20.0,   50.0,    100.0,
                                             200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 20000.0};

/// Adding takes two relaxed atomic additions and no lock. A reader may see a count whose sum is still to
/// come.
template <const auto& kBounds>
class MetricsHistogram {
 public:
  static constexpr std::size_t kBuckets = kBounds.size() + 1;  // the last has no bound

  void add(double value) {
    const auto at = std::lower_bound(kBounds.begin(), kBounds.end(), value) - kBounds.begin();
    counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(static_cast<std::int64_t>(value * kScale), std::memory_order_relaxed);
  }
  void add(Nanoseconds time) { add(to_seconds(time)); }

  std::array<std::uint64_t, kBuckets> counts() const {
    std::array<std::uint64_t, kBuckets> counts{};
    for (std::size_t i = 0; i < kBuckets; ++i) counts[i] = counts_[i].load(std::memory_order_relaxed);
    return counts;
  }
  double sum() const { return static_cast<double>(sum_.load(std::memory_order_relaxed)) / kScale; }
  static constexpr std::span<const double> bounds() { return kBounds; }

 private:
  static constexpr double kScale = 1e6;  // microseconds; millionths of a token
  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::int64_t> sum_{0};
};

using SecondsHistogram = MetricsHistogram<kSecondsBounds>;
using TokensHistogram = MetricsHistogram<kTokensBounds>;

}  // namespace braid::serve
