#include "braid/calendar/session_range.h"

#include <limits>

namespace braid::calendar {

namespace {

using Limits = std::numeric_limits<std::int64_t>;

}  // namespace

SessionTime session_time(UtcTime time, UtcTime start) {
  if (time == UtcTime::min() || time == UtcTime::max()) return SessionTime(time.time_since_epoch());
  std::int64_t ns = 0;
  if (__builtin_sub_overflow(time.time_since_epoch().count(), start.time_since_epoch().count(), &ns))
    ns = time < start ? Limits::min() : Limits::max();
  return SessionTime(Nanoseconds(ns));
}

UtcTime utc_time(SessionTime time, UtcTime start) {
  std::int64_t ns = 0;
  if (__builtin_add_overflow(time.time_since_epoch().count(), start.time_since_epoch().count(), &ns))
    ns = time < kSessionStart ? Limits::min() : Limits::max();
  return UtcTime(Nanoseconds(ns));
}

Result<SessionRange> parse_session_range(std::string_view text, UtcTime start, const Asker& asker) {
  const auto utc = parse_time_range(text, asker);
  if (!utc) return tl::unexpected(utc.error());
  return SessionRange{session_time(utc->from, start), session_time(utc->to, start), *utc};
}

}  // namespace braid::calendar
