#pragma once
// Sensor logs: CSV (comma, semicolon or tab; RFC 4180 quotes) or one JSON object a line.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "braid/ingest/log_row.h"

namespace braid::ingest {

/// Line after line to rows. Decimal commas are read where fields are separated by semicolons or tabs. The
/// time column is the first with the name of a time (time_unit_of_name()), else the first of all. Without a
/// header channels are ch1, ch2 ... JSON members of members are joined by dots. Pure; one thread.
class SensorLogParser {
 public:
  static constexpr std::size_t kMaxChannels = 256;
  static constexpr std::size_t kMaxValueBytes = 256;

  /// A line without its end. No row for blank lines, `#` comments and the header. Errors: kBadInput, kLimit;
  /// say what is wrong with the line, without its number.
  Result<std::optional<LogRow>> parse(std::string_view line);

 private:
  enum class Form : std::uint8_t { kUnknown, kCsv, kJson };
  Result<std::optional<LogRow>> parse_csv(std::string_view line);
  Result<std::optional<LogRow>> parse_json(std::string_view line) const;
  LogTime time_of(std::string text) const;
  bool take_header(const std::vector<std::string>& fields);

  Form form_ = Form::kUnknown;
  char separator_ = ',';
  std::vector<std::string> names_;  // by column; that of the time column is unused
  std::size_t time_column_ = 0;
  TimeUnit time_unit_ = TimeUnit::kAuto;
};

}  // namespace braid::ingest
