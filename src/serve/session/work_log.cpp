#include "session/work_log.h"

#include <utility>

namespace braid::serve {

void WorkLog::took_control(const EngineInput& input) {
  if (!log_) return;
  ControlTaken control;
  if (const auto* one = std::get_if<CancelAnswer>(&input)) {
    control.id = one->id;
    control.reason = static_cast<std::int32_t>(one->reason);
    control.delivered = one->delivered;
  } else if (const auto* all = std::get_if<CancelEverything>(&input)) {
    control.all = true;
    control.reason = static_cast<std::int32_t>(all->reason);
  } else {
    return;  // it changes nothing
  }
  took_.controls.push_back(control);
}

void WorkLog::took(Clock& clock, std::optional<SteadyTime> awaited) {
  if (!log_) return;
  ++rounds_;
  if (took_.chunks == 0 && took_.controls.empty() && awaited == awaited_) return;
  took_.awaited = awaited_ = awaited;
  took_.rounds = std::exchange(rounds_, 0);
  took_.at = clock.now();
  log_->note(std::exchange(took_, {}));
}

void WorkLog::stepped(const StepPlan& plan, SteadyTime at, bool failed) {
  if (!log_) return;
  stepped_.rounds = std::exchange(rounds_, 0);
  stepped_.end = at;
  stepped_.failed = failed;
  stepped_.shares = shares_of(plan);
  log_->note(std::exchange(stepped_, {}));
}

void WorkLog::answered(const Answer& answer) {
  if (log_) log_->note(Answered{answer.id, static_cast<std::int32_t>(answer.finish), answer.text});
}

}  // namespace braid::serve
