#include "linear_resampler.h"

namespace braid::sync {

namespace {
constexpr std::int64_t kOutputRate = 16000;
}

void LinearResampler::restart(int rate) {
  rate_ = rate;
  seen_ = 0;
  made_ = 0;
  last_ = 0.0F;
}

void LinearResampler::push(std::span<const float> samples, std::vector<float>& out) {
  if (rate_ == kOutputRate) {
    out.insert(out.end(), samples.begin(), samples.end());
    return;
  }
  const auto size = static_cast<std::int64_t>(samples.size());
  const auto at = [&](std::int64_t i) {
    return i < seen_ ? last_ : samples[static_cast<std::size_t>(i - seen_)];
  };
  for (std::int64_t left; (left = made_ * rate_ / kOutputRate) + 1 < seen_ + size; ++made_) {
    const auto weight = static_cast<float>(made_ * rate_ % kOutputRate) / static_cast<float>(kOutputRate);
    out.push_back(at(left) * (1.0F - weight) + at(left + 1) * weight);
  }
  seen_ += size;
  if (size > 0) last_ = samples.back();
}

}  // namespace braid::sync
