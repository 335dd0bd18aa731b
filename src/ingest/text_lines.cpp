#include "braid/ingest/text_lines.h"

#include <fmt/format.h>

#include <cstdint>

#include "braid/base/utf8.h"
#include "json_line.h"

namespace braid::ingest {

namespace {

constexpr std::size_t kMaxMembers = 64;

bool is_clock(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789:.") == std::string_view::npos &&
         text.front() != ':' && text.back() != ':';
}

/// "1:02.5" to "62.5": seconds as text, exact. Empty: no such time.
std::string clock_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  int parts = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const std::string_view whole = part.substr(0, part.find('.'));
    if (whole.empty() || whole.size() > 6 || ++parts > 3) return {};
    std::int64_t value = 0;
    for (const char c : whole) value = value * 10 + (c - '0');
    seconds = seconds * 60 + value;
    if (colon == std::string_view::npos)
      return std::to_string(seconds) + std::string(part.substr(whole.size()));
    if (whole.size() != part.size()) return {};
    text.remove_prefix(colon + 1);
  }
}

/// `[12.4s] words` or `[01:02.5] words`: the time, taken off `line`.
std::optional<LogTime> take_stamp(std::string_view& line) {
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos || close > 24) return std::nullopt;
  std::string_view inside = line.substr(1, close - 1);
  const bool in_seconds = inside.ends_with('s');
  if (in_seconds) inside.remove_suffix(1);
  const bool colon = inside.find(':') != std::string_view::npos;
  if (!is_clock(inside) || in_seconds == colon) return std::nullopt;
  std::string seconds = clock_seconds(inside);
  if (seconds.empty()) return std::nullopt;
  line.remove_prefix(close + 1);
  return LogTime{std::move(seconds), TimeUnit::kSeconds};
}

/// An unnamed unit is seconds where there is a decimal point, else microseconds.
LogTime time_of(const JsonMember& member, TimeUnit unit) {
  if (unit == TimeUnit::kAuto && member.text.find('.') != std::string::npos) unit = TimeUnit::kSeconds;
  return {member.text, unit};
}

Result<std::optional<LogRow>> parse_json(std::string_view line) {
  auto members = parse_json_line(line, kMaxMembers);
  if (!members) return tl::unexpected(members.error());
  LogRow row;
  bool has_text = false;
  for (const auto& member : *members) {
    if (const auto unit = time_unit_of_name(member.key)) row.start = time_of(member, *unit);
    if (const auto unit = time_unit_of_name(member.key, "start")) row.start = time_of(member, *unit);
    if (const auto unit = time_unit_of_name(member.key, "end")) row.end = time_of(member, *unit);
    if (member.key != "text" || !member.is_string) continue;
    auto text = clean_text(member.text);
    if (!text) return tl::unexpected(text.error());
    row.text = *std::move(text);
    has_text = true;
  }
  if (!has_text) return fail(ErrorCode::kBadInput, "no member \"text\" that is a string");
  if (row.text.empty()) return std::nullopt;
  return row;
}

}  // namespace

Result<std::string> clean_text(std::string_view text) {
  if (to_valid_utf8(text) != text)
    return fail(ErrorCode::kBadInput, "not UTF-8; convert it first (iconv -t utf-8)");
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F)
      clean += c;
    else if ((c == '\n' || c == '\t' || c == '\r') && !clean.empty() && clean.back() != ' ')
      clean += ' ';
  }
  const std::size_t first = clean.find_first_not_of(' ');
  if (first == std::string::npos) return std::string{};
  clean = clean.substr(first, clean.find_last_not_of(' ') - first + 1);
  if (clean.size() > kMaxTextBytes)
    return fail(ErrorCode::kLimit, fmt::format("{} bytes of text; at most {} are taken; split the line",
                                               clean.size(), kMaxTextBytes));
  return clean;
}

Result<std::optional<LogRow>> parse_text_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return std::nullopt;
  if (line[first] == '{') return parse_json(line);
  line.remove_prefix(first);
  LogRow row;
  row.start = take_stamp(line);
  auto text = clean_text(line);
  if (!text) return tl::unexpected(text.error());
  if (text->empty()) return std::nullopt;
  row.text = *std::move(text);
  return row;
}

}  // namespace braid::ingest
