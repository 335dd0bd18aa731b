#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "braid/base/utf8.h"
#include "braid/calendar/time_range.h"
#include "braid/ingest/log_row.h"

namespace braid::ingest {

namespace {

constexpr std::int64_t kMaxNs =
    std::numeric_limits<std::int64_t>::max() / 3;  // differences and a base fit too

tl::unexpected<Error> bad_time(std::string_view text, const char* why) {
  return fail(ErrorCode::kBadInput, fmt::format("time '{}' {}", to_valid_utf8(text.substr(0, 40)), why));
}

std::int64_t ns_per(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanoseconds:
      return 1;
    case TimeUnit::kMilliseconds:
      return 1'000'000;
    case TimeUnit::kSeconds:
      return 1'000'000'000;
    default:
      return 1000;
  }
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// ".5" -> 500'000'000; "" -> 0. Digits beyond the ninth are dropped.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!take(text, ".,")) return 0;
  std::int64_t ns = 0, weight = 100'000'000;
  std::size_t digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits) {
    ns += weight * (text.front() - '0');
    weight /= 10;
  }
  return digits > 0 ? std::optional(ns) : std::nullopt;
}

/// A day of the calendar, or a time of it, since 1970.
Result<Nanoseconds> calendar_time(std::string_view text) {
  constexpr UtcTime kFirst{};
  constexpr UtcTime kLast{std::chrono::sys_days(std::chrono::year(2201) / 1 / 1).time_since_epoch()};
  const auto range = calendar::parse_time_range(text);
  if (!range) return tl::unexpected(range.error());
  if (range->precision < calendar::Precision::kDay || text.find('/') != std::string_view::npos)
    return bad_time(text, "is a span; expected a day or a time; write 2026-11-29T12:00:00.5Z");
  if (range->from < kFirst || range->from >= kLast)
    return bad_time(text, "is out of range; expected 1970 to 2200; correct the clock that wrote it");
  return range->from.time_since_epoch();
}

Result<Nanoseconds> exponent_time(std::string_view text, std::int64_t unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return bad_time(text, "isn't a number");
  value *= static_cast<double>(unit);
  if (!(std::abs(value) < static_cast<double>(kMaxNs))) return bad_time(text, "is out of range");
  return Nanoseconds(static_cast<std::int64_t>(value));
}

}  // namespace

bool is_calendar_time(std::string_view text) {
  if (text.find_first_of("Tt:W/") != std::string_view::npos) return true;
  const std::size_t dash = text.find('-', 1);
  return dash != std::string_view::npos && text[dash - 1] != 'e' && text[dash - 1] != 'E';
}

Result<Nanoseconds> log_time(const LogTime& time, TimeUnit unit) {
  const std::string_view text = time.text;
  if (is_calendar_time(text)) return calendar_time(text);
  const std::int64_t scale = ns_per(time.unit != TimeUnit::kAuto ? time.unit : unit);
  if (text.find_first_of("eE") != std::string_view::npos) return exponent_time(text, scale);
  std::string_view rest = text;
  const bool negative = take(rest, "-");
  if (!negative) take(rest, "+");
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), whole);
  if (rest.empty() || rest.front() < '0' || rest.front() > '9' || error == std::errc::invalid_argument)
    return bad_time(text, "isn't a number");
  if (error != std::errc{} || whole > kMaxNs / scale) return bad_time(text, "is out of range");
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  const bool point = rest.starts_with(".");
  const auto fraction = point ? take_fraction(rest) : std::optional<std::int64_t>(0);
  if (!fraction || !rest.empty()) return bad_time(text, "isn't a number");
  // The fraction is in billionths of the unit; a unit divides a billion.
  const std::int64_t ns = whole * scale + *fraction / (1'000'000'000 / scale);
  return Nanoseconds(negative ? -ns : ns);
}

namespace {

constexpr std::array<std::pair<std::string_view, TimeUnit>, 21> kUnitNames = {
    {{"ns", TimeUnit::kNanoseconds},
     {"nanos", TimeUnit::kNanoseconds},
     {"nsec", TimeUnit::kNanoseconds},
     {"nanoseconds", TimeUnit::kNanoseconds},
     {"us", TimeUnit::kMicroseconds},
     {"\xC2\xB5s", TimeUnit::kMicroseconds},
     {"\xCE\xBCs", TimeUnit::kMicroseconds},
     {"micros", TimeUnit::kMicroseconds},
     {"usec", TimeUnit::kMicroseconds},
     {"microseconds", TimeUnit::kMicroseconds},
     {"ms", TimeUnit::kMilliseconds},
     {"millis", TimeUnit::kMilliseconds},
     {"msec", TimeUnit::kMilliseconds},
     {"milliseconds", TimeUnit::kMilliseconds},
     {"s", TimeUnit::kSeconds},
     {"sec", TimeUnit::kSeconds},
     {"secs", TimeUnit::kSeconds},
     {"second", TimeUnit::kSeconds},
     {"seconds", TimeUnit::kSeconds},
     {"millisecond", TimeUnit::kMilliseconds},
     {"microsecond", TimeUnit::kMicroseconds}}};
constexpr std::array<std::string_view, 6> kTimeNames = {"t",         "ts",       "time",
                                                        "timestamp", "datetime", "elapsed"};

/// "Time (ms)" and "time[ms]" to "time_ms".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, 48)) {
    if (c == ' ' || c == '(' || c == '[' || c == '_') {
      if (!plain.empty() && plain.back() != '_') plain += '_';
    } else if (c != ')' && c != ']') {
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
  }
  return plain;
}

}  // namespace

std::optional<TimeUnit> time_unit_of_name(std::string_view name, std::string_view base) {
  const std::string plain = plain_name(name);
  const auto is_base = [&](std::string_view stem) {
    if (!base.empty()) return stem == base;
    return std::find(kTimeNames.begin(), kTimeNames.end(), stem) != kTimeNames.end();
  };
  if (is_base(plain)) return TimeUnit::kAuto;
  const std::size_t cut = plain.rfind('_');
  const bool has_stem = cut != std::string::npos;
  const std::string_view unit = has_stem ? std::string_view(plain).substr(cut + 1) : std::string_view(plain);
  const auto named = std::find_if(kUnitNames.begin(), kUnitNames.end(),
                                  [&](const auto& known) { return known.first == unit; });
  if (named == kUnitNames.end()) return std::nullopt;
  // A column that is called by a unit alone, and by its whole word, is one of times.
  const bool whole = !has_stem && base.empty() && unit.ends_with("seconds");
  return whole || (has_stem && is_base(std::string_view(plain).substr(0, cut))) ? std::optional(named->second)
                                                                                : std::nullopt;
}

}  // namespace braid::ingest
