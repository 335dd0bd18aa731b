#pragma once
// When a question asks about.

#include <optional>
#include <string>
#include <string_view>

#include "braid/calendar/time_range.h"

namespace braid::retrieve {

/// A time that a question names, and the question without it.
struct AskedTime {
  UtcTime from = UtcTime::min();  ///< [from, to)
  UtcTime to = UtcTime::max();
  std::string phrase;  ///< the words that said so
  std::string rest;    ///< what is left to look for
};

/// Reads the first that it finds of: "in the past 72 h", "the last two weeks"; "5 minutes ago" (give or take
/// half of the unit); "between 10:02 and 10:05", "from X to Y"; "since", "after", "before", "until", "at",
/// "on", "in" with a time; "today", "yesterday"; and times by themselves. A time is what parse_time_range()
/// reads and has a ':' or a '-'; one without a date that is still to come was yesterday's. None: the question
/// names no time, or `asker` has no now. Pure.
std::optional<AskedTime> find_asked_time(std::string_view question, const calendar::Asker& asker);

}  // namespace braid::retrieve
