#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "record/replay_stages.h"

namespace braid::serve {

namespace {

std::string text(const Stepped& step) {
  std::string shares;
  for (const StepShare& share : step.shares)
    shares += fmt::format("{}{} rows of sequence {} from {} on (kind {}, {:08x})", shares.empty() ? "" : ", ",
                          share.rows, share.sequence.value, share.position, static_cast<int>(share.kind),
                          share.content);
  return shares.empty() ? "no rows" : shares;
}

std::string sampled_text(const Stepped& step) {
  std::string tokens;
  for (const auto& [sequence, token] : step.sampled)
    tokens += fmt::format("{}{} in sequence {}", tokens.empty() ? "" : ", ", token, sequence.value);
  return tokens.empty() ? "none" : tokens;
}

}  // namespace

ReplayedWork::ReplayedWork(const Opened& opened, StepLoop& loop, StepLoop::Promise promise,
                           ReplayClock& clock, ReplayedStep& step, const ReplayOptions& options,
                           ReplayReport& report)
    : loop_(loop),
      clock_(clock),
      step_(step),
      replay_options_(options),
      report_(report),
      options_(opened.options),
      pace_(clock, opened.options.realtime),
      to_client_(clock),
      chunks_(loop.add_lane({.capacity = 1U << 16})),
      control_(loop.add_lane({.capacity = 1U << 16})) {
  for (const RecordedSource& source : opened.sources) {
    book_.names.push_back(source.name);
    book_.duration = std::max(book_.duration, source.duration);
  }
  options_.log = this;
  pace_.restart(opened.begins);
  loop_.adopt(std::make_unique<SessionWork>(SessionParts{options_, clock_, pace_, tally_, book_, due_}, loop_,
                                            std::move(promise), chunks_.lane(), control_.lane(),
                                            to_client_.add_lane({.capacity = 1U << 20})));
}

Status ReplayedWork::go_on(std::deque<EngineInput>& in) {
  while (!told_.empty()) {
    Status done;
    if (const auto* took = std::get_if<Took>(&told_.front())) {
      if (took->chunks > in.size()) return {};
      done = take(*took, in);
    } else {
      done = step(std::get<Stepped>(told_.front()));
    }
    drain();
    if (step_.difference) return fail(ErrorCode::kMismatch, *step_.difference);
    if (done) done = compare_answers();
    if (!done) return done;
    told_.pop_front();
  }
  return compare_answers();
}

Status ReplayedWork::take(const Took& recorded, std::deque<EngineInput>& in) {
  if (replay_options_.pace) replay_options_.pace(recorded.at);
  if (Status idle = idle_rounds(recorded.rounds); !idle) return idle;
  clock_.set(recorded.at);
  for (const ControlTaken& control : recorded.controls) {
    const auto reason = static_cast<CancelReason>(control.reason);
    if (control.all)
      control_.push(CancelEverything{reason});
    else
      control_.push(CancelAnswer{control.id, reason, control.delivered});
  }
  for (std::uint32_t i = 0; i < recorded.chunks; ++i) {
    chunks_.push(std::move(in.front()));
    in.pop_front();
  }
  due_.pin(recorded.awaited);
  loop_.take();
  open_ = true;
  bool left = false;
  loop_.in().look(chunks_.lane(), [&](const EngineInput&) { return !(left = true); });
  if (!left) return {};
  return differs("schedule", fmt::format("{} items taken at once", recorded.chunks), "fewer");
}

Status ReplayedWork::step(const Stepped& recorded) {
  if (replay_options_.pace) replay_options_.pace(recorded.begin);
  if (recorded.rounds > 0) {
    if (Status idle = idle_rounds(recorded.rounds); !idle) return idle;
    loop_.take();
  }
  open_ = false;
  made_.reset();
  step_.expected = recorded;
  clock_.hold(recorded.begin);
  const bool stepped = loop_.step();
  clock_.release();
  step_.expected.reset();
  if (!stepped || !made_) return differs("schedule", text(recorded), "nothing to do");
  return compare(*made_, recorded);
}

// Rounds in which nothing was taken and nothing could be stepped.
Status ReplayedWork::idle_rounds(std::uint32_t rounds) {
  if (Status closed = close_round(); !closed) return closed;
  constexpr std::uint32_t kEnough = 16;  // more of them change nothing
  for (std::uint32_t i = 1; i < std::min(rounds, kEnough); ++i) {
    loop_.take();
    open_ = true;
    if (Status closed = close_round(); !closed) return closed;
  }
  return {};
}

Status ReplayedWork::close_round() {
  if (!std::exchange(open_, false)) return {};
  loop_.step();
  if (step_.difference) return fail(ErrorCode::kMismatch, *step_.difference);
  return {};
}

void ReplayedWork::note(const RecordedEvent& event) {
  if (const auto* stepped = std::get_if<Stepped>(&event)) made_ = *stepped;
  if (const auto* answered = std::get_if<Answered>(&event)) made_answers_.push_back(*answered);
}

Status ReplayedWork::compare(const Stepped& made, const Stepped& recorded) {
  if (made.shares != recorded.shares || made.failed != recorded.failed)
    return differs(fmt::format("schedule, step {}", report_.steps + 1).c_str(), text(recorded), text(made));
  ++report_.steps;
  if (made.sampled != recorded.sampled)
    return differs(fmt::format("tokens, step {}", report_.steps).c_str(), sampled_text(recorded),
                   sampled_text(made));
  report_.tokens += made.sampled.size();
  return {};
}

Status ReplayedWork::compare_answers() {
  for (; !told_answers_.empty() && !made_answers_.empty();
       told_answers_.pop_front(), made_answers_.pop_front()) {
    const Answered& recorded = told_answers_.front();
    const Answered& made = made_answers_.front();
    if (made.id != recorded.id || made.finish != recorded.finish || made.text != recorded.text)
      return differs("answers", fmt::format("{}: \"{}\"", recorded.id.value, recorded.text),
                     fmt::format("{}: \"{}\"", made.id.value, made.text));
    ++report_.answers;
  }
  return {};
}

Status ReplayedWork::finished() const {
  if (!told_.empty())
    return differs("schedule", "something taken or stepped", "what it was taken from isn't there");
  if (!told_answers_.empty()) return differs("answers", told_answers_.front().text, "nothing");
  if (!made_answers_.empty()) return differs("answers", "nothing", made_answers_.front().text);
  return {};
}

void ReplayedWork::drain() {
  while (to_client_.try_pop(0)) {
  }
}

}  // namespace braid::serve
