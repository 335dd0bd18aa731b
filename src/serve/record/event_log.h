#pragma once
// Who is told what a session does.

#include <optional>

#include "record/events.h"

namespace braid::serve {

/// Told on the session's threads, by any of them; must not hold them up.
class EventLog {
 public:
  virtual ~EventLog() = default;
  virtual void note(const RecordedEvent& event) = 0;
  /// An Arrived, without a copy of the packet.
  virtual void arrived(SourceId source, const Packet& packet, std::optional<SessionTime> at) = 0;
};

}  // namespace braid::serve
