#include "braid/engine/device_arbiter.h"

namespace braid::engine {

DeviceArbiter::Turn DeviceArbiter::take(Work work) {
  if (!exclusive_) return Turn(nullptr);
  std::unique_lock lock(mutex_);
  if (work == Work::kStep) ++waiting_steps_;
  changed_.wait(lock, [&] { return !busy_ && (work == Work::kStep || waiting_steps_ == 0); });
  if (work == Work::kStep) --waiting_steps_;
  busy_ = true;
  return Turn(this);
}

void DeviceArbiter::done() {
  std::lock_guard lock(mutex_);
  busy_ = false;
  changed_.notify_all();
}

}  // namespace braid::engine
