#pragma once
// Rows of logs and text files before they have a session time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"
#include "braid/ingest/source_spec.h"

namespace braid::ingest {

/// A time as written, and the unit that its column or key names.
struct LogTime {
  std::string text;  ///< "1250000", "1.25", "2026-11-29T12:00:00.5Z"
  TimeUnit unit = TimeUnit::kAuto;
};

/// One row. Sensor rows have values, text rows text.
struct LogRow {
  std::optional<LogTime> start;  ///< none: the row has no time of its own
  std::optional<LogTime> end;
  std::vector<std::pair<std::string, std::string>> values;  ///< channel, value as written
  std::string text;                                         ///< UTF-8, one line
};

/// Written as a calendar has it (ISO 8601), not as a number. What it is exactly, log_time() says.
bool is_calendar_time(std::string_view text);

/// Nanoseconds since the log's zero or, for ISO 8601, since 1970; exact for decimals. `unit` stands in for
/// kAuto; kAuto there too means microseconds. Errors: kBadInput.
Result<Nanoseconds> log_time(const LogTime& time, TimeUnit unit);

/// Counted from 1970, not from a start: ISO 8601, or later than 2001-09-09 in its unit.
constexpr bool is_absolute(Nanoseconds time) { return time >= std::chrono::seconds(1'000'000'000); }

/// If `name` is that of a time ("t_us", "timestamp", "Time (s)", "seconds", with `base` "start": "start_us"),
/// the unit it names. Bases without `base`: t, ts, time, timestamp, datetime, elapsed.
std::optional<TimeUnit> time_unit_of_name(std::string_view name, std::string_view base = {});

}  // namespace braid::ingest
