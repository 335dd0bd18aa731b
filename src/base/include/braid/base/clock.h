#pragma once
// The one source of `now` and the one way to wait. Every thread of Braid is a `Thread`, every wait goes
// through a `Signal`; so a VirtualClock knows when all of them wait and can step time forward, and the code
// under test is the code that runs live.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "braid/base/time.h"

namespace braid {

namespace detail {
/// What a clock gives a Signal: a condition variable that lives in that clock's time.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// Blocks until notified or `until` (none: no limit). Wakes spuriously too. `lock` is held on return.
  virtual void wait(std::unique_lock<std::mutex>& lock, std::optional<SteadyTime> until) = 0;
  virtual void notify_all() = 0;
};
}  // namespace detail

/// Thread-safe. Passed by reference to whoever needs time; outlives them all.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime now() const = 0;
  /// Blocks the calling thread until `until`; returns at once if that is past.
  void sleep_until(SteadyTime until);
  void sleep_for(Nanoseconds d) { sleep_until(now() + d); }

 private:
  friend class Signal;
  friend class Thread;
  virtual std::unique_ptr<detail::Waiter> make_waiter() = 0;
  /// Starts `body` as a thread this clock accounts for.
  virtual std::thread start_thread(std::string name, std::function<void()> body) = 0;
};

/// The machine's monotonic clock.
class RealClock final : public Clock {
 public:
  SteadyTime now() const override;

 private:
  std::unique_ptr<detail::Waiter> make_waiter() override;
  std::thread start_thread(std::string name, std::function<void()> body) override;
};

/// A condition variable in a clock's time. Use with the mutex that guards the predicate, as
/// std::condition_variable. Hold no other mutex while waiting.
class Signal {
 public:
  explicit Signal(Clock& clock) : clock_(clock), waiter_(clock.make_waiter()) {}

  template <class Predicate>
  void wait(std::unique_lock<std::mutex>& lock, Predicate ready) {
    while (!ready()) waiter_->wait(lock, std::nullopt);
  }

  /// Returns ready() as it stands when it came true or `until` passed.
  template <class Predicate>
  bool wait_until(std::unique_lock<std::mutex>& lock, SteadyTime until, Predicate ready) {
    while (!ready()) {
      if (clock_.now() >= until) return ready();
      waiter_->wait(lock, until);
    }
    return true;
  }

  void notify_all() { waiter_->notify_all(); }

 private:
  Clock& clock_;
  std::unique_ptr<detail::Waiter> waiter_;
};

/// A thread that its clock accounts for. Joins on destruction.
class Thread {
 public:
  Thread() = default;
  Thread(Clock& clock, std::string name, std::function<void()> body);
  Thread(Thread&&) noexcept = default;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread() { join(); }

  bool joinable() const { return thread_.joinable(); }
  /// Blocks until the body has returned. Idempotent.
  void join();

 private:
  struct Done;
  std::shared_ptr<Done> done_;
  std::thread thread_;
};

}  // namespace braid
