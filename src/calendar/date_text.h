#pragma once
// Dates of ISO 8601 and EDTF level 1, without times.

#include <cstdint>
#include <string_view>

#include "braid/calendar/utc.h"

namespace braid::calendar {

/// The days [first, end) that a date names, counted from 1970-01-01.
struct DateSpan {
  std::int64_t first = 0;
  std::int64_t end = 0;
  Precision precision = Precision::kDay;
  bool extended = true;  ///< has separators, or could have none
  bool unspecified = false;
  bool uncertain = false;
  bool approximate = false;
};

/// `whole` is what messages quote. Qualifiers at the end are taken too. Errors: kBadInput, kLimit.
Result<DateSpan> parse_date(std::string_view date, std::string_view whole);

/// The day so many months after `day`; the month's last where it has no such day.
std::int64_t add_months(std::int64_t day, std::int64_t months);

}  // namespace braid::calendar
