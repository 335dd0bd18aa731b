#pragma once
// Questions between sync and the steps.

#include <deque>
#include <mutex>
#include <optional>

#include "braid/base/time.h"

namespace braid::serve {

/// What a session has to hurry for, wherever on its way there the question is. Thread-safe.
class DueQuestions {
 public:
  /// Sync let one out: it waits for what was captured before it, and nothing else.
  void let_out(SteadyTime asked) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(asked);
  }
  /// The oldest is being answered, or was refused.
  void taken() {
    const std::scoped_lock lock(mutex_);
    if (!waiting_.empty()) waiting_.pop_front();
  }
  /// From here on oldest() is this, whatever comes and goes: as it was recorded.
  void pin(std::optional<SteadyTime> oldest) {
    const std::scoped_lock lock(mutex_);
    pinned_ = oldest;
    is_pinned_ = true;
  }
  /// Since when one waits.
  std::optional<SteadyTime> oldest() const {
    const std::scoped_lock lock(mutex_);
    if (is_pinned_) return pinned_;
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.front());
  }

 private:
  mutable std::mutex mutex_;
  std::deque<SteadyTime> waiting_;  // bounded by the questions that may wait
  std::optional<SteadyTime> pinned_;
  bool is_pinned_ = false;
};

}  // namespace braid::serve
