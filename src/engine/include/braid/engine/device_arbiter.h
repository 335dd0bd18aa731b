#pragma once
// Who computes on a device now.

#include <mutex>
#include <utility>

#include "braid/base/clock.h"

namespace braid::engine {

/// On a CPU two compute pools at once ruin each other (barriers spin on cores that the other holds), so
/// encoder and decoder take turns: a waiting step goes before a waiting encode, but not more than `kPatience`
/// of them in a row, so that perception goes on while answers decode. On a GPU each runs on its stream and
/// nobody waits. Thread-safe.
class DeviceArbiter {
 public:
  enum class Work { kStep, kEncode };
  static constexpr int kPatience = 4;  ///< steps that an encode lets pass

  DeviceArbiter(Clock& clock, bool exclusive) : exclusive_(exclusive), changed_(clock) {}

  /// The right to compute, until destroyed.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : arbiter_(std::exchange(other.arbiter_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (arbiter_) arbiter_->done();
    }

   private:
    friend class DeviceArbiter;
    explicit Turn(DeviceArbiter* arbiter) : arbiter_(arbiter) {}
    DeviceArbiter* arbiter_;
  };

  /// Blocks until it is this work's turn.
  Turn take(Work work);

 private:
  void done();
  bool may_run(Work work) const;

  const bool exclusive_;
  std::mutex mutex_;
  Signal changed_;
  bool busy_ = false;
  int waiting_steps_ = 0;
  int waiting_encodes_ = 0;
  int passed_ = 0;  // steps begun since an encode last ran, while one waited
};

}  // namespace braid::engine
