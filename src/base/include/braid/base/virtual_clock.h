#pragma once
// Time for tests and replays: stands still while any thread works, jumps to the next wake-up when all wait.

#include <cstdint>
#include <map>

#include "braid/base/clock.h"

namespace braid {

/// Discrete-event time over real threads. The thread that constructs it and every `Thread` started on it take
/// turns: exactly one runs at a time, in the order in which they became ready, so a run is repeatable to the
/// last interleaving. When nobody can run, time jumps to the earliest `wait_until`. If nobody can run and
/// nobody waits for a time, the program hangs for ever: that is a bug in it, reported with the threads'
/// names, then abort().
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(SteadyTime start = SteadyTime{});
  ~VirtualClock() override;
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  SteadyTime now() const override;

 private:
  struct Participant;
  class VirtualWaiter;

  std::unique_ptr<detail::Waiter> make_waiter() override;
  std::thread start_thread(std::string name, std::function<void()> body) override;

  std::shared_ptr<Participant> enlist(std::string name);
  void make_ready(Participant& participant);
  void hand_over();
  void pause(std::unique_lock<std::mutex>& state, Participant& self);
  [[noreturn]] void report_deadlock() const;

  mutable std::mutex mutex_;  // guards everything below
  SteadyTime now_;
  std::uint64_t next_turn_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Participant>> participants_;  // by order of enlistment
  std::uint64_t next_id_ = 0;
  std::shared_ptr<Participant> owner_;
};

}  // namespace braid
