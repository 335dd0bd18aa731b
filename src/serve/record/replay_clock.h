#pragma once
// A recording's time.

#include <algorithm>
#include <stdexcept>

#include "braid/base/clock.h"

namespace braid::serve {

/// Goes where it is set, and a nanosecond on with each look, so that what happens later has a later time. For
/// one thread that never waits.
class ReplayClock final : public Clock {
 public:
  explicit ReplayClock(SteadyTime start) : now_(start) {}
  SteadyTime now() const override { return held_ ? now_ : now_ += Nanoseconds(1); }
  /// Never back.
  void set(SteadyTime at) { now_ = std::max(now_, at); }
  /// Exactly `at`, and still until it is set.
  void hold(SteadyTime at) {
    held_ = true;
    now_ = at;
  }
  void release() { held_ = false; }

 private:
  class Never final : public detail::Waiter {
   public:
    void wait(std::unique_lock<std::mutex>&, std::optional<SteadyTime>) override {
      throw std::logic_error("a replay doesn't wait");
    }
    void notify_all() override {}
  };
  std::unique_ptr<detail::Waiter> make_waiter() override { return std::make_unique<Never>(); }
  std::thread start_thread(std::string, std::function<void()>) override {
    throw std::logic_error("a replay is one thread");
  }

  mutable SteadyTime now_;
  bool held_ = false;
};

}  // namespace braid::serve
