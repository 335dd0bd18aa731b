#pragma once
// Packets that contradict what is known of a clock: four that agree are a new clock, fewer are accidents.

#include <array>
#include <cstddef>
#include <cstdint>

namespace braid::sync {

enum class Doubt : std::uint8_t {
  kNone,
  kAhead,      ///< came before it can have been sent
  kBehind,     ///< stamped a little before the newest
  kFarBehind,  ///< stamped long before the newest
  kDuplicate,  ///< stamped as one before
  kHeld,       ///< much later than the one before it
};

class SuspectRun {
 public:
  static constexpr std::size_t kEnough = 4;

  struct Packet {
    std::int64_t source = 0, arrival = 0, laps = 0;
    Doubt doubt = Doubt::kNone;
    std::int64_t delay() const { return arrival - source; }
  };

  std::size_t size() const { return size_; }
  bool complete() const { return size_ == kEnough; }
  Doubt doubt() const { return packets_[0].doubt; }  ///< of the first
  const Packet& operator[](std::size_t i) const { return packets_[i]; }

  void begin(const Packet& packet);
  /// It goes on as a clock would: later, and delayed as the first give or take `tolerance` ns.
  bool fits(const Packet& packet, double tolerance) const;
  void add(const Packet& packet) { packets_[size_++] = packet; }
  /// As time passed while they came, not in a burst as packets that were held on their way.
  bool came_in_time() const;
  void clear() { size_ = 0; }

 private:
  std::array<Packet, kEnough> packets_;
  std::size_t size_ = 0;
};

}  // namespace braid::sync
