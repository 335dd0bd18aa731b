#include "braid/sync/drift_clock.h"

#include <algorithm>
#include <cmath>

namespace braid::sync {

double DriftClock::Estimate::bound_us(double client_us) const {
  return round_trip_us / 2 + kWander * std::max(0.0, client_us - at_us);
}

DriftClock::Estimate DriftClock::Estimate::moved_to(const Estimate& other) const {
  return {offset_us + kAlpha * (other.offset_us - offset_us),
          round_trip_us + kAlpha * (other.round_trip_us - round_trip_us),
          at_us + kAlpha * (other.at_us - at_us)};
}

void DriftClock::exchange(std::int64_t t1_us, std::int64_t t2_us, std::int64_t t3_us, std::int64_t t4_us) {
  // As doubles: exact to a µs for 285 years, and what a client sends can't overflow.
  const auto t1 = static_cast<double>(t1_us), t2 = static_cast<double>(t2_us);
  const auto t3 = static_cast<double>(t3_us), t4 = static_cast<double>(t4_us);
  const Estimate told{((t2 - t1) + (t3 - t4)) / 2, (t4 - t1) - (t3 - t2), t4};
  if (told.round_trip_us < 0 || t3 < t2) {
    ++refused_;
    return;
  }
  last_[count_++ % kKept] = told;
  if (!open_) {
    wait(told);
  } else if (told.round_trip_us > kLongestRoundTripUs ||
             std::abs(told.offset_us - model_->offset_us) > kLongestJumpUs) {
    open_ = false;
    ++closed_;
    agreeing_ = waited_ = 0;
  } else {
    model_ = model_->moved_to(told);
  }
}

bool DriftClock::agree() const {
  if (agreeing_ < kOpenAfter) return false;
  Estimate least = recent(0), most = recent(0);
  for (std::size_t back = 1; back < kOpenAfter; ++back) {
    const Estimate one = recent(back);
    least.offset_us = std::min(least.offset_us, one.offset_us);
    most.offset_us = std::max(most.offset_us, one.offset_us);
    least.round_trip_us = std::min(least.round_trip_us, one.round_trip_us);
    most.round_trip_us = std::max(most.round_trip_us, one.round_trip_us);
  }
  return most.round_trip_us - least.round_trip_us < kMostVariationUs &&
         most.offset_us - least.offset_us <= kLongestJumpUs;
}

void DriftClock::wait(const Estimate& told) {
  ++waited_;
  agreeing_ = told.round_trip_us > kLongestRoundTripUs ? 0 : std::min(agreeing_ + 1, kOpenAfter);
  if (agree()) open();
}

void DriftClock::open() {
  Estimate quickest = recent(kOpenAfter - 1);
  for (std::size_t back = kOpenAfter - 1; back-- > 0;)
    if (recent(back).round_trip_us < quickest.round_trip_us) quickest = recent(back);
  if (model_ && std::abs(quickest.offset_us - model_->offset_us) > kLongestJumpUs) model_.reset();
  for (std::size_t back = kOpenAfter; back-- > 0;)
    model_ = model_ ? model_->moved_to(recent(back)) : recent(back);
  open_ = true;
}

// Each exchange says between which two offsets the truth lies; older ones count as long as they agree.
DriftClock::Offset DriftClock::in_common(double client_us) const {
  const double newest = recent(0).bound_us(client_us);
  double low = recent(0).offset_us - newest, high = recent(0).offset_us + newest;
  for (std::size_t back = 1; back < std::min(count_, kKept); ++back) {
    const double bound = recent(back).bound_us(client_us);
    const double least = std::max(low, recent(back).offset_us - bound);
    const double most = std::min(high, recent(back).offset_us + bound);
    if (least > most) break;
    low = least;
    high = most;
  }
  return {(low + high) / 2, (high - low) / 2};
}

std::optional<DriftClock::Offset> DriftClock::offset(double client_us) const {
  if (count_ == 0) return std::nullopt;
  std::optional<Offset> model;
  if (model_) model = Offset{model_->offset_us, model_->bound_us(client_us)};
  if (open_) return model;
  const Offset common = in_common(client_us);
  if (!model) return common;
  if (std::abs(common.us - model->us) > common.bound_us + model->bound_us)
    return waited_ >= kOpenAfter ? common : *model;
  return common.bound_us < model->bound_us ? common : *model;
}

}  // namespace braid::sync
