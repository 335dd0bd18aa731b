#include "realtime/lifecycle.h"

#include "braid/base/log.h"

namespace braid::serve {

namespace {

constexpr LineStep kToPending{LineState::kAuthPending};
constexpr LineStep kToRunning{LineState::kRunning};
constexpr LineStep kToClosing{LineState::kClosing};

constexpr LineStep illegal(LineState stays) { return {stays, false}; }

constexpr LineStep kNotIdle = illegal(LineState::kIdle);
constexpr LineStep kNotPending = illegal(LineState::kAuthPending);
constexpr LineStep kNotRunning = illegal(LineState::kRunning);
constexpr LineStep kNotClosing = illegal(LineState::kClosing);

}  // namespace

const std::array<std::array<LineStep, kLineEvents>, kLineStates>& line_table() {
  // A line that closes still hears of what was under way: a session that was found too late, a last message.
  static constexpr std::array<std::array<LineStep, kLineEvents>, kLineStates> kTable{{
      // ask        accept       refuse       timeout      message      silence      taken        stop end
      {kToPending, kNotIdle, kNotIdle, kNotIdle, kNotIdle, kNotIdle, kNotIdle, kToClosing, kToClosing},
      {kNotPending, kToRunning, kToClosing, kToClosing, kNotPending, kNotPending, kNotPending, kToClosing,
       kToClosing},
      {kNotRunning, kNotRunning, kNotRunning, kNotRunning, kToRunning, kToClosing, kToClosing, kToClosing,
       kToClosing},
      {kNotClosing, kToClosing, kToClosing, kToClosing, kToClosing, kToClosing, kToClosing, kToClosing,
       kToClosing},
  }};
  return kTable;
}

LineState Lifecycle::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

bool Lifecycle::take(LineEvent event) {
  std::lock_guard lock(mutex_);
  return step(event);
}

bool Lifecycle::take_from(LineState from, LineEvent event) {
  std::lock_guard lock(mutex_);
  return state_ == from && step(event);
}

/// With mutex_ held.
bool Lifecycle::step(LineEvent event) {
  const LineStep step = line_table()[static_cast<std::size_t>(state_)][static_cast<std::size_t>(event)];
  if (!step.legal) {
    ++illegal_;
    log(LogLevel::kWarning, "a Realtime line got the event {} while it was {}: nothing was done",
        to_string(event), to_string(state_));
  }
  state_ = step.next;
  return step.legal;
}

const char* to_string(LineState state) {
  static constexpr std::array<const char*, kLineStates> kNames = {"IDLE", "AUTH_PENDING", "RUNNING",
                                                                  "CLOSING"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* to_string(LineEvent event) {
  static constexpr std::array<const char*, kLineEvents> kNames = {
      "ask", "accept", "refuse", "timeout", "message", "silence", "taken", "stop", "end"};
  return kNames[static_cast<std::size_t>(event)];
}

}  // namespace braid::serve
