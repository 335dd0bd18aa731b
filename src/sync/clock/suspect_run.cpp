#include "clock/suspect_run.h"

#include <cmath>

namespace braid::sync {

void SuspectRun::begin(const Packet& packet) {
  packets_[0] = packet;
  size_ = 1;
}

bool SuspectRun::fits(const Packet& packet, double tolerance) const {
  if (size_ == 0 || complete() || packet.source <= packets_[size_ - 1].source) return false;
  const bool behind = packet.doubt != Doubt::kNone && packet.doubt != Doubt::kAhead;
  const bool same_kind = doubt() == Doubt::kHeld    ? packet.doubt == Doubt::kNone
                         : doubt() == Doubt::kAhead ? packet.doubt == Doubt::kAhead
                                                    : behind;
  return same_kind && std::abs(static_cast<double>(packet.delay() - packets_[0].delay())) <= tolerance;
}

bool SuspectRun::came_in_time() const {
  const Packet& first = packets_[0];
  const Packet& last = packets_[size_ - 1];
  return last.arrival - first.arrival >= (last.source - first.source) / 2;
}

}  // namespace braid::sync
