#include "braid/engine/device_arbiter.h"

namespace braid::engine {

bool DeviceArbiter::may_run(Work work, std::uint64_t ticket) const {
  if (busy_[device(work)]) return false;
  if (work == Work::kEncode && ticket != encodes_begun_) return false;
  if (!exclusive_) return true;
  const bool encodes_turn = encodes_asked_ > encodes_begun_ && passed_ >= kPatience;
  if (work == Work::kStep) return !encodes_turn;
  return waiting_steps_ == 0 || encodes_turn;
}

DeviceArbiter::Turn DeviceArbiter::take(Work work) {
  std::unique_lock lock(mutex_);
  const bool encode = work == Work::kEncode;
  const std::uint64_t ticket = encode ? encodes_asked_++ : 0;
  if (!encode) ++waiting_steps_;
  changed_.wait(lock, [&] { return may_run(work, ticket); });
  if (encode)
    ++encodes_begun_;
  else
    --waiting_steps_;
  busy_[device(work)] = true;
  if (encode || encodes_asked_ == encodes_begun_)
    passed_ = 0;
  else
    ++passed_;
  return Turn(this, work);
}

void DeviceArbiter::done(Work work) {
  std::lock_guard lock(mutex_);
  busy_[device(work)] = false;
  changed_.notify_all();
}

}  // namespace braid::engine
