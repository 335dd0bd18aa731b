#include "braid/schedule/step_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace braid::schedule {

namespace {

constexpr double kRowUnit = 64.0;     // both regressors of a size, so that the sums are well conditioned
constexpr double kForgetting = 0.98;  // a step weighs half after 34 more
constexpr double kGuessWeight = 1.0;  // of what isn't known: bounds how far one step can move a term
constexpr double kOutlier = 3.0;      // residuals beyond so many spreads are cut
constexpr double kSpreadWeight = 1.0 / 8;
constexpr double kFirstSpread = 0.5;   // of the guess
constexpr double kLongest = 9e18;      // ns that an int64 holds
constexpr double kLeastSpread = 0.01;  // of the prediction

}  // namespace

StepCost::StepCost(Nanoseconds base, Nanoseconds per_row)
    : base_ns_(std::max(0.0, static_cast<double>(base.count()))),
      per_row_ns_(std::max(0.0, static_cast<double>(per_row.count()))),
      spread_ns_(kFirstSpread * (base_ns_ + per_row_ns_ * kRowUnit)),
      weight_(kGuessWeight),
      sum_xx_(kGuessWeight) {}

void StepCost::observe(int rows, Nanoseconds took) {
  if (rows <= 0 || took < Nanoseconds::zero()) return;
  const double expected = base_ns_ + per_row_ns_ * rows;
  const double bound = kOutlier * std::max(spread_ns_, kLeastSpread * expected + 1.0);
  const double residual = std::clamp(static_cast<double>(took.count()) - expected, -bound, bound);
  spread_ns_ += kSpreadWeight * (std::abs(residual) - spread_ns_);
  learn(rows / kRowUnit, residual);
}

// One step of recursive least squares on the regressors (1, x), kept as information, not as its inverse:
// rounding errors of a covariance grow by 1 / kForgetting a step and end in nonsense after some 2,000 steps;
// here they fade.
void StepCost::learn(double x, double residual) {
  const auto faded = [](double sum, double seen, double guess) {
    return kForgetting * sum + seen + (1 - kForgetting) * guess;
  };
  weight_ = faded(weight_, 1.0, kGuessWeight);
  sum_x_ = faded(sum_x_, x, 0.0);
  sum_xx_ = faded(sum_xx_, x * x, kGuessWeight);
  const double determinant = weight_ * sum_xx_ - sum_x_ * sum_x_;
  base_ns_ += (sum_xx_ - sum_x_ * x) / determinant * residual;
  per_row_ns_ += (weight_ * x - sum_x_) / determinant * residual / kRowUnit;
  keep_non_negative();
}

// The nearest non-negative pair as the data weigh it: cutting one term alone would let the other run
// away.
void StepCost::keep_non_negative() {
  if (per_row_ns_ < 0.0) {
    base_ns_ += sum_x_ / weight_ * per_row_ns_ * kRowUnit;
    per_row_ns_ = 0.0;
  }
  if (base_ns_ < 0.0) {
    per_row_ns_ = std::max(0.0, per_row_ns_ + sum_x_ / sum_xx_ * base_ns_ / kRowUnit);
    base_ns_ = 0.0;
  }
}

Nanoseconds StepCost::predict(int rows) const {
  return Nanoseconds(static_cast<std::int64_t>(std::min(base_ns_ + per_row_ns_ * rows, kLongest)));
}

int StepCost::rows_within(Nanoseconds budget) const {
  const double left = static_cast<double>(budget.count()) - base_ns_;
  if (left < per_row_ns_ || left <= 0.0) return 1;
  const double most = std::numeric_limits<int>::max();
  return left >= per_row_ns_ * most ? std::numeric_limits<int>::max() : static_cast<int>(left / per_row_ns_);
}

}  // namespace braid::schedule
