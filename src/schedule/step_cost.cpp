#include "braid/schedule/step_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace braid::schedule {

namespace {

constexpr double kRowUnit = 64.0;  // both regressors of a size, so that the covariance stays well conditioned
constexpr double kForgetting = 0.98;  // a step weighs half after 34 more
constexpr double kUncertain = 1.0;    // covariance of a guess, and its bound: forgetting must not blow it up
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
      p_{{kUncertain, 0.0}, {0.0, kUncertain}} {}

void StepCost::observe(int rows, Nanoseconds took) {
  if (rows <= 0 || took < Nanoseconds::zero()) return;
  const double expected = base_ns_ + per_row_ns_ * rows;
  const double bound = kOutlier * std::max(spread_ns_, kLeastSpread * expected + 1.0);
  const double residual = std::clamp(static_cast<double>(took.count()) - expected, -bound, bound);
  spread_ns_ += kSpreadWeight * (std::abs(residual) - spread_ns_);
  learn(rows / kRowUnit, residual);
}

// One step of recursive least squares on the regressors (1, x).
void StepCost::learn(double x, double residual) {
  const double px[2] = {p_[0][0] + p_[0][1] * x, p_[1][0] + p_[1][1] * x};
  const double denominator = kForgetting + px[0] + px[1] * x;
  const double gain[2] = {px[0] / denominator, px[1] / denominator};
  base_ns_ += gain[0] * residual;
  per_row_ns_ += gain[1] * residual / kRowUnit;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) p_[i][j] -= gain[i] * px[j];
  keep_non_negative();
  if ((p_[0][0] + p_[1][1]) / kForgetting > 2 * kUncertain) return;
  for (auto& row : p_)
    for (double& value : row) value /= kForgetting;
}

// The nearest non-negative pair as the covariance measures it: cutting one term alone would let the other run
// away.
void StepCost::keep_non_negative() {
  if (per_row_ns_ < 0.0) {
    base_ns_ -= p_[0][1] / p_[1][1] * per_row_ns_ * kRowUnit;
    per_row_ns_ = 0.0;
  }
  if (base_ns_ < 0.0) {
    per_row_ns_ = std::max(0.0, per_row_ns_ - p_[0][1] / p_[0][0] * base_ns_ / kRowUnit);
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
