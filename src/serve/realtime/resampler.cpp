#include "realtime/resampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace braid::serve {

Resampler::Resampler(int rate) : rate_(rate) {
  const int common = std::gcd(rate, kOutputRate);
  up_ = kOutputRate / common;
  down_ = rate / common;
  const int length = up_ * kTaps;
  // Of the upsampled rate; a little below the lower of both Nyquist frequencies.
  const double cutoff = 0.47 / std::max(up_, down_);
  filter_.resize(static_cast<std::size_t>(length));
  for (int i = 0; i < length; ++i) {
    const double t = i - (length - 1) / 2.0;
    const double x = 2.0 * std::numbers::pi * cutoff * t;
    const double sinc = std::abs(x) < 1e-9 ? 1.0 : std::sin(x) / x;
    const double window = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * (i + 0.5) / length);
    filter_[static_cast<std::size_t>(i)] = static_cast<float>(2.0 * cutoff * up_ * sinc * window);
  }
  history_.assign(kTaps - 1, 0.0F);
}

void Resampler::push(std::span<const float> samples, std::vector<float>& out) {
  history_.insert(history_.end(), samples.begin(), samples.end());
  const auto end = static_cast<std::int64_t>(samples.size()) * up_;
  for (; next_ < end; next_ += down_) {
    const auto phase = static_cast<std::size_t>(next_ % up_);
    const auto newest = static_cast<std::size_t>(next_ / up_) + kTaps - 1;
    float sum = 0.0F;
    for (std::size_t tap = 0; tap < kTaps; ++tap)
      sum += filter_[phase + tap * static_cast<std::size_t>(up_)] * history_[newest - tap];
    out.push_back(sum);
  }
  next_ -= end;
  history_.erase(history_.begin(), history_.end() - (kTaps - 1));
}

}  // namespace braid::serve
