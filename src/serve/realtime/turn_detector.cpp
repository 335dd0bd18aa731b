#include "realtime/turn_detector.h"

#include <algorithm>

namespace braid::serve {

namespace {

constexpr int kFrame = sync::SpeechDetector::kFrame;
// As long as the session's own cutter wants speech to be, so that a turn isn't of a noise that it drops.
constexpr int kStartFrames = 4;
constexpr double kHysteresis = 0.15;  // of the probability, under the threshold

}  // namespace

std::span<const float> SoundBuffer::view(std::int64_t from, std::int64_t to) const {
  return std::span(samples_).subspan(static_cast<std::size_t>(from - begin_),
                                     static_cast<std::size_t>(to - from));
}

void SoundBuffer::drop_before(std::int64_t index) {
  const std::int64_t to = std::clamp(index, begin_, end());
  samples_.erase(samples_.begin(), samples_.begin() + (to - begin_));
  begin_ = to;
}

void TurnDetector::configure(const std::optional<openai::TurnDetection>& turns, const SoundBuffer& buffer) {
  const bool switched = turns.has_value() != turns_.has_value();
  turns_ = turns;
  if (switched) forget(buffer);
}

void TurnDetector::forget(const SoundBuffer& buffer) {
  speaking_ = false;
  voiced_ = 0;
  judged_ = std::max(judged_, buffer.begin());
  if (!turns_) judged_ = buffer.end();
}

std::optional<TurnDetector::Change> TurnDetector::next(const SoundBuffer& buffer) {
  if (!on()) {
    judged_ = buffer.end();
    return std::nullopt;
  }
  judged_ = std::max(judged_, buffer.begin());
  while (judged_ + kFrame <= buffer.end()) {
    const auto frame = buffer.view(judged_, judged_ + kFrame);
    judged_ += kFrame;
    if (const auto change = judge(frame, buffer)) return change;
  }
  return std::nullopt;
}

std::optional<TurnDetector::Change> TurnDetector::judge(std::span<const float> frame,
                                                        const SoundBuffer& buffer) {
  const double probability = detector_->probability(frame);
  if (!speaking_) {
    voiced_ = probability >= turns_->threshold ? voiced_ + 1 : 0;
    if (voiced_ < kStartFrames) return std::nullopt;
    const std::int64_t first = judged_ - static_cast<std::int64_t>(voiced_) * kFrame;
    speaking_ = true;
    voiced_ = 0;
    last_voice_ = judged_;
    return Change{true, std::max(buffer.begin(), first - to_samples(turns_->prefix))};
  }
  if (probability >= turns_->threshold - kHysteresis) last_voice_ = judged_;
  if (judged_ - last_voice_ < to_samples(turns_->silence)) return std::nullopt;
  speaking_ = false;
  return Change{false, judged_};
}

std::int64_t TurnDetector::needed_from(const SoundBuffer& buffer) const {
  if (!on() || speaking_) return buffer.begin();
  return judged_ - to_samples(turns_->prefix) - static_cast<std::int64_t>(kStartFrames) * kFrame;
}

}  // namespace braid::serve
