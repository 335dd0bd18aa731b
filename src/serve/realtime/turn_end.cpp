#include "realtime/turn_end.h"

#include <algorithm>

namespace braid::serve {

namespace {

constexpr Milliseconds kFirstAsk{192}, kSecondAsk{288}, kNextAsk{192}, kPause{96};  // whole frames
constexpr Milliseconds kShortest{200}, kLongest{800};

}  // namespace

TurnEnd::Rule TurnEnd::rule() const {
  switch (turns_.eagerness) {
    case openai::TurnDetection::Eagerness::kLow:
      return {0.8F, 0.2F, 2 * kLongest};
    case openai::TurnDetection::Eagerness::kHigh:
      return {0.3F, 0.02F, Milliseconds(500)};
    case openai::TurnDetection::Eagerness::kMedium:
    case openai::TurnDetection::Eagerness::kAuto:
      break;
  }
  return {0.5F, 0.03F, kLongest};
}

void TurnEnd::configure(const openai::TurnDetection& turns) { turns_ = turns; }

Nanoseconds TurnEnd::longest() const { return semantic() ? rule().longest : turns_.silence; }

void TurnEnd::begin(std::optional<Nanoseconds> since) {
  finished_.reset();
  next_ask_ = kFirstAsk;
  if (since && *since < rule().longest) note(*since);  // it was the same turn, cut in two
}

void TurnEnd::go_on(Nanoseconds silence) {
  finished_.reset();
  next_ask_ = kFirstAsk;
  if (silence >= kPause) note(silence);
}

void TurnEnd::note(Nanoseconds pause) { pauses_[paused_++ % pauses_.size()] = pause; }

bool TurnEnd::over(Nanoseconds silence, const Turn& turn) {
  if (!semantic()) return silence >= turns_.silence;
  const Rule rule = this->rule();
  if (model_ != nullptr && silence >= next_ask_ && silence < rule.longest) {
    finished_ = model_->finished(turn());
    next_ask_ = next_ask_ == kFirstAsk ? Nanoseconds(kSecondAsk) : silence + kNextAsk;
    // The longer nothing is said, the less it takes.
    if (finished_ && *finished_ * to_ms(silence) >= rule.sure * to_ms(kFirstAsk)) return true;
  }
  if (finished_ && *finished_ < rule.unsure) return silence >= rule.longest;
  const Nanoseconds heard = *std::max_element(pauses_.begin(), pauses_.end());
  return silence >= std::clamp<Nanoseconds>(heard + heard / 4, kShortest, rule.longest);
}

}  // namespace braid::serve
