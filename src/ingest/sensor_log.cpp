#include "braid/ingest/sensor_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/base/utf8.h"
#include "braid/ingest/text_lines.h"
#include "csv_line.h"
#include "json_line.h"

namespace braid::ingest {

namespace {

/// Adds a channel if its value isn't empty.
Status add_value(LogRow& row, std::string_view channel, std::string_view value) {
  auto name = clean_text(channel);
  auto clean = clean_text(value);
  if (!name || !clean)
    return fail(ErrorCode::kBadInput,
                "a channel or value isn't UTF-8 text; convert it first (iconv -t utf-8)");
  if (std::max(name->size(), clean->size()) > SensorLogParser::kMaxValueBytes)
    return fail(ErrorCode::kLimit,
                fmt::format("channel '{}' or its value has more than {} bytes",
                            to_valid_utf8(name->substr(0, 40)), SensorLogParser::kMaxValueBytes));
  if (!clean->empty()) row.values.emplace_back(*std::move(name), *std::move(clean));
  return {};
}

Result<std::optional<LogRow>> complete(LogRow row) {
  // Without a unit so far, only that it is a time can be told.
  const TimeUnit finest = row.start->unit == TimeUnit::kAuto ? TimeUnit::kNanoseconds : row.start->unit;
  if (auto time = log_time(*row.start, finest); !time) return tl::unexpected(time.error());
  if (row.values.empty()) return fail(ErrorCode::kBadInput, "a time without any value");
  return row;
}

}  // namespace

Result<std::optional<LogRow>> SensorLogParser::parse(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || line[first] == '#') return std::nullopt;
  if (form_ == Form::kUnknown) form_ = line[first] == '{' ? Form::kJson : Form::kCsv;
  return form_ == Form::kJson ? parse_json(line) : parse_csv(line);
}

/// A comma that separates nothing is a decimal one.
LogTime SensorLogParser::time_of(std::string text) const {
  if (separator_ != ',' && !is_calendar_time(text)) std::replace(text.begin(), text.end(), ',', '.');
  return {std::move(text), time_unit_};
}

/// True if the fields are names, not a row.
bool SensorLogParser::take_header(const std::vector<std::string>& fields) {
  bool named = false;
  for (std::size_t i = 0; i < fields.size() && !named; ++i)
    if (const auto unit = time_unit_of_name(fields[i])) {
      named = true;
      time_column_ = i;
      time_unit_ = *unit;
    }
  const bool header = named || !log_time(time_of(fields[0]), TimeUnit::kAuto);
  for (std::size_t i = 0; i < fields.size(); ++i)
    names_.push_back(header && !fields[i].empty() ? fields[i] : fmt::format("ch{}", i));
  return header;
}

Result<std::optional<LogRow>> SensorLogParser::parse_csv(std::string_view line) {
  if (names_.empty()) separator_ = guess_separator(line);
  auto fields = parse_csv_line(line, separator_, kMaxChannels + 1);
  if (!fields) return tl::unexpected(fields.error());
  if (names_.empty() && take_header(*fields)) return std::nullopt;
  if (fields->size() != names_.size())
    return fail(ErrorCode::kBadInput, fmt::format("{} fields; expected {}", fields->size(), names_.size()));
  LogRow row;
  row.start = time_of((*fields)[time_column_]);
  for (std::size_t i = 0; i < fields->size(); ++i)
    if (i != time_column_)
      if (auto added = add_value(row, names_[i], (*fields)[i]); !added) return tl::unexpected(added.error());
  return complete(std::move(row));
}

Result<std::optional<LogRow>> SensorLogParser::parse_json(std::string_view line) const {
  auto members = parse_json_line(line, kMaxChannels + 1);
  if (!members) return tl::unexpected(members.error());
  LogRow row;
  std::size_t time = members->size();
  for (std::size_t i = 0; i < members->size() && time == members->size(); ++i)
    if (time_unit_of_name((*members)[i].key)) time = i;
  if (time == members->size()) time = 0;
  if (members->empty()) return fail(ErrorCode::kBadInput, "an empty object; expected a time and channels");
  row.start =
      LogTime{(*members)[time].text, time_unit_of_name((*members)[time].key).value_or(TimeUnit::kAuto)};
  for (std::size_t i = 0; i < members->size(); ++i)
    if (i != time)
      if (auto added = add_value(row, (*members)[i].key, (*members)[i].text); !added)
        return tl::unexpected(added.error());
  return complete(std::move(row));
}

}  // namespace braid::ingest
