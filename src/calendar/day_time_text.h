#pragma once
// Times of day of ISO 8601, with or without an offset.

#include <chrono>
#include <optional>
#include <string_view>

#include "braid/calendar/utc.h"

namespace braid::calendar {

struct DayTime {
  std::int64_t ns = 0;    ///< since midnight; 24:00 is 86,400 s, a leap second the second after it
  std::int64_t step = 0;  ///< ns of the least unit that was written
  Precision precision = Precision::kSecond;
  int elements = 3;      ///< hours, minutes, seconds: how many were written
  bool extended = true;  ///< has colons
  bool leap_second = false;
  std::optional<std::chrono::seconds> offset;  ///< ahead of UTC; none: local
};

/// `10`, `10:02`, `100203`, each with a fraction of its last element; then `Z`, `+01`, `+01:00`, `-0330` or
/// nothing. `whole` is what messages quote. Errors: kBadInput.
Result<DayTime> parse_day_time(std::string_view time, std::string_view whole);

/// An offset alone. Errors: kBadInput.
Result<std::chrono::seconds> parse_offset(std::string_view offset, std::string_view whole);

/// Where the offset begins in a time; its size: there is none.
std::size_t offset_place(std::string_view time);

}  // namespace braid::calendar
