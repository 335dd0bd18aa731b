#include "realtime/turn_end.h"

#include <algorithm>

namespace braid::serve {

namespace {

constexpr Milliseconds kAsk{192}, kPause{96};  // whole frames
constexpr Milliseconds kShortest{200}, kLongest{800};

}  // namespace

TurnEnd::Rule TurnEnd::rule() const {
  switch (turns_.eagerness) {
    case openai::TurnDetection::Eagerness::kLow:
      return {0.8F, 0.3F, 2 * kLongest};
    case openai::TurnDetection::Eagerness::kHigh:
      return {0.3F, 0.05F, Milliseconds(500)};
    case openai::TurnDetection::Eagerness::kMedium:
    case openai::TurnDetection::Eagerness::kAuto:
      break;
  }
  return {0.5F, 0.1F, kLongest};
}

void TurnEnd::configure(const openai::TurnDetection& turns) { turns_ = turns; }

Nanoseconds TurnEnd::longest() const { return semantic() ? rule().longest : turns_.silence; }

void TurnEnd::begin(std::optional<Nanoseconds> since) {
  finished_.reset();
  asked_ = {};
  if (since && *since < rule().longest) note(*since);  // it was the same turn, cut in two
}

void TurnEnd::go_on(Nanoseconds silence) {
  finished_.reset();
  asked_ = {};
  if (silence >= kPause) note(silence);
}

void TurnEnd::note(Nanoseconds pause) { pauses_[paused_++ % pauses_.size()] = pause; }

bool TurnEnd::over(Nanoseconds silence, const Turn& turn) {
  if (!semantic()) return silence >= turns_.silence;
  const Rule rule = this->rule();
  if (model_ != nullptr && silence - asked_ >= kAsk && silence < rule.longest) {
    finished_ = model_->finished(turn());
    asked_ = silence;
  }
  if (finished_ && *finished_ >= rule.sure) return true;
  if (finished_ && *finished_ < rule.unsure) return silence >= rule.longest;
  const Nanoseconds heard = *std::max_element(pauses_.begin(), pauses_.end());
  return silence >= std::clamp<Nanoseconds>(heard + heard / 4, kShortest, rule.longest);
}

}  // namespace braid::serve
