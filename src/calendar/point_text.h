#pragma once
// One point of an interval, or a time that stands alone.

#include <string>
#include <string_view>

#include "braid/calendar/duration.h"
#include "braid/calendar/time_range.h"
#include "date_text.h"
#include "day_time_text.h"

namespace braid::calendar {

/// A point taken apart: `2026-11-29`, `10:00:00.5`, `+01:00`. What wasn't written is empty.
struct PointParts {
  std::string date;
  std::string time;
  std::string offset;
};
PointParts split_point(std::string_view text);

/// What an interval's end leaves out because the start has it: `/15:30`, `/16T09:00`, `/04`.
PointParts complete_end(PointParts start, std::string_view end);

/// A date, or a time of a day, still on the clock of its place.
struct Point {
  DateSpan date;
  std::optional<DayTime> time;
  std::optional<std::chrono::seconds> offset;
};
/// Errors: kBadInput, kLimit.
Result<Point> parse_point(const PointParts& parts, std::string_view whole, const Asker& asker);

/// The range of a point alone, and as an interval's ends.
struct PointRange {
  UtcTime from;
  UtcTime to;
  UtcTime as_end;  ///< a time of day ends at itself, a date after itself
};
Result<PointRange> range_of(const Point& point, std::string_view whole, const Asker& asker);

/// So much after the point's start or, with `back`, before it as an end: months and days by the calendar of
/// its place.
Result<UtcTime> shifted(const Point& point, const Duration& by, bool back, std::string_view whole,
                        const Asker& asker);

}  // namespace braid::calendar
