#include "realtime/backchannel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace braid::serve {

namespace {

// What people say to show that they listen lasts for a quarter to half a second; within a sentence they pause
// for less.
constexpr int kLongest = 16, kSilence = 8;  // frames of 32 ms
constexpr double kAudible = 0.12;           // of the loudest frame; the speech detector is slow to let go
constexpr double kShout = 2.5;              // times the usual loudness
constexpr float kUnfinished = 0.1F;         // less: more comes
// The usual loudness is that of a turn's loud frames, which a word's loudest is compared with: it rises
// quickly and falls slowly. The mean of a turn is a third of its loudest frames, and every word would be a
// shout.
constexpr double kRise = 0.2, kFall = 0.01;  // of the difference, a frame

double level(std::span<const float> frame) {
  const double power = std::inner_product(frame.begin(), frame.end(), frame.begin(), 0.0);
  return std::sqrt(power / static_cast<double>(std::max<std::size_t>(frame.size(), 1)));
}

}  // namespace

void Backchannel::hear_turn(std::span<const float> frame) {
  const double heard = level(frame);
  usual_ = usual_ ? *usual_ + (heard > *usual_ ? kRise : kFall) * (heard - *usual_) : heard;
}

void Backchannel::begin(int frames) {
  peak_ = 0;
  frames_ = last_ = frames;
}

Backchannel::Verdict Backchannel::judge(std::span<const float> frame, bool speech,
                                        const std::function<std::span<const float>()>& sound) {
  const double now = level(frame);
  ++frames_;
  peak_ = std::max(peak_, now);
  if (speech && now >= kAudible * peak_) last_ = frames_;
  if (last_ >= kLongest || (usual_ && now > kShout * *usual_)) return Verdict::kInterruption;
  if (frames_ - last_ < kSilence) return Verdict::kOpen;
  const auto finished = model_ != nullptr ? model_->finished(sound()) : std::nullopt;
  return finished && *finished < kUnfinished ? Verdict::kInterruption : Verdict::kBackchannel;
}

}  // namespace braid::serve
