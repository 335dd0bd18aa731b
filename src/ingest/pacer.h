#pragma once
// Waiting that stop() ends.

#include <atomic>
#include <mutex>

#include "braid/base/clock.h"

namespace braid::ingest {

/// Thread-safe; one source's.
class Pacer {
 public:
  explicit Pacer(Clock& clock) : clock_(clock), changed_(clock) {}

  /// Blocks until `at` or stop(). False: stopped.
  bool wait_until(SteadyTime at);
  void stop();
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  SteadyTime now() const { return clock_.now(); }

 private:
  Clock& clock_;
  std::mutex mutex_;
  Signal changed_;
  std::atomic<bool> stopped_{false};  // written under mutex_
};

}  // namespace braid::ingest
