#include "realtime/backchannel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace braid::serve {

namespace {

// What people say to show that they listen lasts for a quarter to half a second.
constexpr Milliseconds kLongest{480}, kLongestFading{576};
constexpr Milliseconds kSilence{160};
constexpr double kFading = 0.35;     // of the loudest frame
constexpr double kShout = 3.0;       // times the usual level
constexpr float kUnfinished = 0.1F;  // less: more comes
constexpr double kForget = 0.02;     // of the usual level, a frame

double level(std::span<const float> frame) {
  const double power = std::inner_product(frame.begin(), frame.end(), frame.begin(), 0.0);
  return std::sqrt(power / static_cast<double>(std::max<std::size_t>(frame.size(), 1)));
}

}  // namespace

void Backchannel::hear_turn(std::span<const float> frame) {
  const double heard = level(frame);
  usual_ = usual_ ? *usual_ + kForget * (heard - *usual_) : heard;
}

void Backchannel::begin() { peak_ = now_ = 0; }

Backchannel::Verdict Backchannel::judge(std::span<const float> frame, Nanoseconds length, Nanoseconds silence,
                                        const std::function<std::span<const float>()>& sound) {
  now_ = level(frame);
  peak_ = std::max(peak_, now_);
  if (usual_ && now_ > kShout * *usual_) return Verdict::kInterruption;
  if (length >= (now_ < kFading * peak_ ? kLongestFading : kLongest)) return Verdict::kInterruption;
  if (silence < kSilence) return Verdict::kOpen;
  const auto finished = model_ != nullptr ? model_->finished(sound()) : std::nullopt;
  return finished && *finished < kUnfinished ? Verdict::kInterruption : Verdict::kBackchannel;
}

}  // namespace braid::serve
