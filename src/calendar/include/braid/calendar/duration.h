#pragma once
// ISO 8601 durations.

#include <string_view>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::calendar {

/// A length of time as calendars have it: months and days differ in length, so they are kept apart.
struct Duration {
  std::int32_t months = 0;  ///< years too
  std::int32_t days = 0;    ///< weeks too
  Nanoseconds time{};       ///< hours, minutes, seconds; under 290 years

  bool operator==(const Duration&) const = default;
};

/// `P1Y2M10DT2H30M`, `P6W`, `PT1.2S`, `PT0,5H`, or by date and time: `P0003-06-04T12:30:05`. A decimal
/// fraction may stand in the last element: of years if it makes whole months, not of months. Not negative.
/// Pure. Errors: kBadInput; kUnsupported: a fraction of a month; kLimit: longer than 290 years.
Result<Duration> parse_duration(std::string_view text);

}  // namespace braid::calendar
