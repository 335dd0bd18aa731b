#pragma once
// Who computes on a device now.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "braid/base/clock.h"

namespace braid::engine {

/// On a CPU two compute pools at once ruin each other (barriers spin on cores that the other holds), so
/// encoder and decoder take turns: a waiting step goes before a waiting encode, but not more than `kPatience`
/// of them in a row, so that perception goes on while answers decode. Encodes take their turns in the order
/// in which they asked. On a GPU steps and encodes each run on their stream. Never two encodes or two steps
/// at once. Thread-safe.
class DeviceArbiter {
 public:
  enum class Work { kStep, kEncode };
  static constexpr int kPatience = 4;  ///< steps that an encode lets pass

  DeviceArbiter(Clock& clock, bool exclusive) : exclusive_(exclusive), changed_(clock) {}

  /// The right to compute, until destroyed.
  class Turn {
   public:
    Turn(Turn&& other) noexcept : arbiter_(std::exchange(other.arbiter_, nullptr)), work_(other.work_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (arbiter_) arbiter_->done(work_);
    }

   private:
    friend class DeviceArbiter;
    Turn(DeviceArbiter* arbiter, Work work) : arbiter_(arbiter), work_(work) {}
    DeviceArbiter* arbiter_;
    Work work_;
  };

  /// Blocks until it is this work's turn.
  Turn take(Work work);

 private:
  void done(Work work);
  /// Which of busy_ the work needs.
  std::size_t device(Work work) const { return exclusive_ ? 0 : static_cast<std::size_t>(work); }
  bool may_run(Work work, std::uint64_t ticket) const;

  const bool exclusive_;
  std::mutex mutex_;
  Signal changed_;
  std::array<bool, 2> busy_{};
  int waiting_steps_ = 0;
  std::uint64_t encodes_asked_ = 0;  // tickets given
  std::uint64_t encodes_begun_ = 0;  // the ticket that is next
  int passed_ = 0;                   // steps begun since an encode last ran, while one waited
};

}  // namespace braid::engine
