#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "braid/base/utf8.h"
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

/// The first `digits` of text as a number, taken off it.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc{} || end != text.data() + digits || value < 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
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

/// "Z", "+01:00", "-0530" or nothing (UTC), to seconds ahead of UTC.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (text.empty() || take(text, "Zz")) return 0;
  const bool behind = text.front() == '-';
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ":");
  const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
  if (!hours || !minutes || *hours > 24 || *minutes > 59) return std::nullopt;
  return (behind ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

Result<Nanoseconds> iso_time(std::string_view text) {
  constexpr const char* kWhy = "isn't ISO 8601; expected 2026-11-29T12:00:00.5Z";
  std::string_view rest = text;
  const auto year = take_digits(rest, 4);
  const bool dash = take(rest, "-");
  const auto month = take_digits(rest, 2);
  const bool dash2 = take(rest, "-");
  const auto day = take_digits(rest, 2);
  const bool t = take(rest, "Tt ");
  const auto hour = take_digits(rest, 2);
  const bool colon = take(rest, ":");
  const auto minute = take_digits(rest, 2);
  const auto second = take(rest, ":") ? take_digits(rest, 2) : std::optional(0);
  if (!year || !dash || !month || !dash2 || !day || !t || !hour || !colon || !minute || !second)
    return bad_time(text, kWhy);
  const auto fraction = take_fraction(rest);
  const auto zone = take_zone(rest);
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!fraction || !zone || !rest.empty() || !date.ok() || *year < 1970 || *year > 2200 || *hour > 23 ||
      *minute > 59 || *second > 60)
    return bad_time(text, kWhy);
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = days * 86400 + *hour * 3600 + *minute * 60 + *second - *zone;
  return Nanoseconds(seconds * 1'000'000'000 + *fraction);
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

Result<Nanoseconds> log_time(const LogTime& time, TimeUnit unit) {
  const std::string_view text = time.text;
  if (text.size() > 10 && text[4] == '-' && text[7] == '-') return iso_time(text);
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
