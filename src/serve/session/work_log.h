#pragma once
// What a session's work did in a round of the engine's thread, told when the round is over.

#include <cstdint>
#include <optional>

#include "braid/base/clock.h"
#include "host/engine_input.h"
#include "record/event_log.h"

namespace braid::serve {

/// Engine thread. Without a log it does nothing.
class WorkLog {
 public:
  explicit WorkLog(EventLog* log) : log_(log) {}
  bool on() const { return log_ != nullptr; }

  // Within a take():
  void took_chunk(bool there) { took_.chunks += there ? 1 : 0; }
  void took_control(const EngineInput& input);
  /// It is over. `awaited`: since when a question waits.
  void took(Clock& clock, std::optional<SteadyTime> awaited);

  // Within a step:
  void step_begins(SteadyTime at) { stepped_.begin = at; }
  void sampled(SequenceId sequence, Token token) { stepped_.sampled.emplace_back(sequence, token); }
  void stepped(const StepPlan& plan, SteadyTime at, bool failed);

  void answered(const Answer& answer);

 private:
  EventLog* const log_;
  std::uint32_t rounds_ = 0;  // since the last event
  Took took_;
  std::optional<SteadyTime> awaited_;  // when it was last told
  Stepped stepped_;
};

}  // namespace braid::serve
