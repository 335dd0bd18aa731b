#pragma once
// From calendar time to a session's timeline.

#include <string_view>

#include "braid/calendar/time_range.h"

namespace braid::calendar {

/// What a text says of when, on a session's timeline: [from, to). It may lie outside of the session: then
/// nothing happened in it, which is another thing than a text that names no time.
struct SessionRange {
  SessionTime from;  ///< SessionTime::min(): open, unknown or as far back as can be
  SessionTime to;    ///< SessionTime::max(): open, unknown or as far ahead as can be
  UtcRange utc;      ///< the same as calendars have it, with what is known of it
};

/// The session's time at `time`, where the session began at `start`; at the ends of what can be held.
SessionTime session_time(UtcTime time, UtcTime start);
/// The other way.
UtcTime utc_time(SessionTime time, UtcTime start);

/// As parse_time_range(), whose errors it has.
Result<SessionRange> parse_session_range(std::string_view text, UtcTime start, const Asker& asker = {});

}  // namespace braid::calendar
