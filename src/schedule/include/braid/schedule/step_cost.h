#pragma once
// How long a step takes.

#include "braid/base/time.h"

namespace braid::schedule {

/// How long a step of so many rows takes, learnt from the steps run: base + rows * slope, by recursive least
/// squares with forgetting (Ljung and Soderstrom, Theory and Practice of Recursive Identification, 1983),
/// residuals cut as in Huber (Robust Estimation of a Location Parameter, 1964): one step that the machine
/// stalled moves it little. Starts from a guess; neither term gets negative. Pure.
class StepCost {
 public:
  StepCost(Nanoseconds base, Nanoseconds per_row);
  /// Steps without rows and negative times teach nothing.
  void observe(int rows, Nanoseconds took);
  Nanoseconds predict(int rows) const;
  /// The most rows predicted to fit; at least 1.
  int rows_within(Nanoseconds budget) const;

 private:
  void learn(double x, double residual);
  void keep_non_negative();

  double base_ns_;
  double per_row_ns_;
  double spread_ns_;  // running mean of |residual|
  double weight_;     // sums over the steps seen, fading; x is rows in units of kRowUnit
  double sum_x_ = 0.0;
  double sum_xx_;
};

}  // namespace braid::schedule
