#include "realtime/turn_detector.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

namespace {

constexpr int kFrame = sync::SpeechDetector::kFrame;
// As long as the session's own cutter wants speech to be, so that a turn isn't of a noise that it drops.
constexpr int kStartFrames = 4;
constexpr int kNoticeFrames = 2;
constexpr std::int64_t kNoticeQuiet = 3LL * kFrame;     // then what was noticed is gone
constexpr std::int64_t kNoticeLongest = 16LL * kFrame;  // so it is if it hasn't become speech by then
constexpr double kHysteresis = 0.15;                    // of the probability, under the threshold

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
  if (turns) end_.configure(*turns);
  if (switched) forget(buffer);
}

void TurnDetector::forget(const SoundBuffer& buffer) {
  state_ = State::kSilence;
  voiced_ = 0;
  ended_.reset();
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
  if (state_ == State::kSilence || state_ == State::kNoticed) return wait(probability, buffer);
  if (probability >= turns_->threshold - kHysteresis) {
    const std::int64_t before = std::exchange(last_voice_, judged_);
    if (before < judged_ - kFrame) end_.go_on(to_span(judged_ - kFrame - before));
    if (state_ == State::kTurn) backchannel_.hear_turn(frame);
  }
  return state_ == State::kTurn ? follow(buffer) : contest(frame, buffer);
}

/// For speech.
std::optional<TurnDetector::Change> TurnDetector::wait(double probability, const SoundBuffer& buffer) {
  if (probability >= turns_->threshold) {
    last_voice_ = judged_;
    if (++voiced_ == 1 && state_ == State::kSilence) first_voice_ = judged_ - kFrame;
  } else {
    voiced_ = 0;
  }
  if (state_ == State::kSilence && voiced_ >= kNoticeFrames) {
    state_ = State::kNoticed;
    contested_ = false;
    return Change{Change::Kind::kVoice, first_voice_};
  }
  if (voiced_ >= kStartFrames) return begin(buffer);
  if (state_ == State::kNoticed &&
      (judged_ - last_voice_ >= kNoticeQuiet || judged_ - first_voice_ >= kNoticeLongest)) {
    state_ = State::kSilence;
    return Change{Change::Kind::kQuiet, judged_};
  }
  return std::nullopt;
}

std::optional<TurnDetector::Change> TurnDetector::begin(const SoundBuffer& buffer) {
  first_voice_ = judged_ - static_cast<std::int64_t>(voiced_) * kFrame;
  if (!contested_) return start(buffer);
  state_ = State::kContested;
  backchannel_.begin(voiced_);
  return std::nullopt;
}

TurnDetector::Change TurnDetector::start(const SoundBuffer& buffer) {
  state_ = State::kTurn;
  voiced_ = 0;
  end_.begin(ended_ ? std::optional(to_span(first_voice_ - *ended_)) : std::nullopt);
  return {Change::Kind::kStarted, std::max(buffer.begin(), first_voice_ - to_samples(turns_->prefix))};
}

std::optional<TurnDetector::Change> TurnDetector::contest(std::span<const float> frame,
                                                          const SoundBuffer& buffer) {
  const std::int64_t from = std::max(buffer.begin(), first_voice_ - to_samples(turns_->prefix));
  switch (backchannel_.judge(frame, judged_ == last_voice_, [&] { return buffer.view(from, judged_); })) {
    case Backchannel::Verdict::kInterruption:
      return start(buffer);
    case Backchannel::Verdict::kBackchannel:
      state_ = State::kSilence;
      voiced_ = 0;
      return Change{Change::Kind::kBackchannel, judged_};
    case Backchannel::Verdict::kOpen:
      break;
  }
  return std::nullopt;
}

/// A turn, until it has ended.
std::optional<TurnDetector::Change> TurnDetector::follow(const SoundBuffer& buffer) {
  if (judged_ == last_voice_ ||
      !end_.over(to_span(judged_ - last_voice_), [&] { return buffer.view(buffer.begin(), judged_); }))
    return std::nullopt;
  state_ = State::kSilence;
  ended_ = last_voice_;
  return Change{Change::Kind::kStopped, judged_};
}

std::int64_t TurnDetector::needed_from(const SoundBuffer& buffer) const {
  if (!on() || speaking()) return buffer.begin();
  const std::int64_t frames = static_cast<std::int64_t>(kStartFrames) * kFrame;
  const std::int64_t from = noticing() ? std::min(first_voice_, judged_ - frames) : judged_ - frames;
  return from - to_samples(turns_->prefix);
}

}  // namespace braid::serve
