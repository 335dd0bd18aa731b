#pragma once
// Times as written in texts: ISO 8601 and level 1 of ISO 8601-2 (EDTF), to ranges of UTC.

#include <optional>
#include <string_view>

#include "braid/calendar/utc.h"
#include "braid/calendar/zone.h"

namespace braid::calendar {

inline constexpr std::size_t kMaxTimeBytes = 200;  ///< longer texts are no times

/// What a text leaves to whoever wrote it.
struct Asker {
  Zone zone = {};                   ///< of times without an offset
  std::optional<UtcTime> now = {};  ///< gives times without a date their day, and durations alone their end
};

/// A time, duration or interval, to the range that it names. Calendar, week (`2026-W48-7`) and ordinal
/// (`2026-333`) dates, in extended or basic form; times of day to a decimal fraction of any element; `24:00`;
/// `:60` where a leap second may be; years, decades, centuries, seasons (`2026-21` is spring of the north,
/// March to May); `?` `~` `%`; `X` in the last digits of a year, in its day, or in month and day; `Y-17000`.
/// Intervals by start, end or duration, abbreviated ends, `..` and empty ends. A duration alone ends now.
///
/// An end with a time of day is that instant, an end that is a date includes it. Pure.
/// Errors: kBadInput; kUnsupported (repetitions, fractions of months); kLimit (outside of UtcTime).
Result<UtcRange> parse_time_range(std::string_view text, const Asker& asker = {});

}  // namespace braid::calendar
