#pragma once
// A bound on a rate.

#include <algorithm>

#include "braid/base/time.h"

namespace braid::serve {

/// Up to `burst` at once, `rate` a second in the long run. One thread.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), held_(burst) {}

  /// False: that much can't be had now, and nothing is taken.
  bool take(double amount, SteadyTime now) {
    if (filled_ != SteadyTime{}) held_ = std::min(burst_, held_ + rate_ * to_seconds(now - filled_));
    filled_ = now;
    if (amount > held_) return false;
    held_ -= amount;
    return true;
  }

 private:
  const double rate_, burst_;
  double held_;
  SteadyTime filled_{};
};

}  // namespace braid::serve
