#include "braid/engine/device_arbiter.h"

namespace braid::engine {

bool DeviceArbiter::may_run(Work work) const {
  if (busy_) return false;
  const bool encodes_turn = waiting_encodes_ > 0 && passed_ >= kPatience;
  if (work == Work::kStep) return !encodes_turn;
  return waiting_steps_ == 0 || encodes_turn;
}

DeviceArbiter::Turn DeviceArbiter::take(Work work) {
  if (!exclusive_) return Turn(nullptr);
  std::unique_lock lock(mutex_);
  int& waiting = work == Work::kStep ? waiting_steps_ : waiting_encodes_;
  ++waiting;
  changed_.wait(lock, [&] { return may_run(work); });
  --waiting;
  busy_ = true;
  if (work == Work::kEncode || waiting_encodes_ == 0)
    passed_ = 0;
  else
    ++passed_;
  return Turn(this);
}

void DeviceArbiter::done() {
  std::lock_guard lock(mutex_);
  busy_ = false;
  changed_.notify_all();
}

}  // namespace braid::engine
