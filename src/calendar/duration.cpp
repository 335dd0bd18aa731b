#include "braid/calendar/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "day_time_text.h"
#include "scanner.h"

namespace braid::calendar {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr const char* kCure = "write a duration as P1Y2M3DT4H5M6.7S or P6W";

constexpr std::int64_t kMaxDays = 290 * 365;  // and as many months; nanoseconds hold 292 years

tl::unexpected<Error> too_long(std::string_view text) {
  return fail(ErrorCode::kLimit,
              fmt::format("duration '{}' is too long; expected at most 290 years; ask for a shorter one",
                          shown(text)));
}

struct Unit {
  char name;
  bool of_time;  // after the T
  int months;
  std::int64_t ns;
};
constexpr std::array<Unit, 7> kUnits = {{{'Y', false, 12, 0},
                                         {'M', false, 1, 0},
                                         {'W', false, 0, 7 * kDay},
                                         {'D', false, 0, kDay},
                                         {'H', true, 0, 3600 * kSecond},
                                         {'M', true, 0, 60 * kSecond},
                                         {'S', true, 0, kSecond}}};

/// False: the sum would be too long.
bool add(const Unit& unit, std::int64_t count, Duration& sum) {
  const std::int64_t most = unit.months > 0 ? 290 * 12 / unit.months
                            : unit.of_time  ? kMaxDays * (kDay / unit.ns)
                                            : kMaxDays / (unit.ns / kDay);
  if (count > most) return false;
  if (unit.of_time) {
    if (sum.time.count() > kMaxDays * kDay - count * unit.ns) return false;
    sum.time += Nanoseconds(count * unit.ns);
  } else {
    sum.months += static_cast<std::int32_t>(count * unit.months);
    sum.days += static_cast<std::int32_t>(count * (unit.ns / kDay));
  }
  return sum.months <= 290 * 12 && sum.days <= kMaxDays;
}

Status add_fraction(std::string_view text, const Unit& unit, Scanner& scan, Duration& sum) {
  if (unit.months == 0) {
    sum.time += Nanoseconds(take_fraction(scan, unit.ns)->ns);
    return {};
  }
  // In billionths of a year, months come out whole or not.
  constexpr std::int64_t kBillion = 1'000'000'000;
  const std::int64_t months = take_fraction(scan, kBillion)->ns * unit.months;
  if (unit.months == 1 || months % kBillion != 0)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("duration '{}': a fraction of a month; expected whole months; write days", shown(text)));
  sum.months += static_cast<std::int32_t>(months / kBillion);
  return {};
}

/// `P1Y2MT3.5S` after the P.
Result<Duration> by_units(std::string_view text, Scanner scan) {
  Duration sum;
  std::size_t next = 0;
  bool time = false, any = false, fraction = false;
  while (!scan.done()) {
    if (!time && scan.take("T")) {
      time = true;
      any = false;
      continue;
    }
    const std::string_view digits = scan.rest.substr(0, count_digits(scan.rest));
    const std::string_view element = scan.rest;
    std::int64_t count = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), count).ec ==
        std::errc::result_out_of_range)
      return too_long(text);
    scan.rest.remove_prefix(digits.size());
    Scanner number = scan;
    const bool point = take_fraction(scan, 1).has_value();
    const char name = scan.done() ? ' ' : scan.rest.front();
    while (next < kUnits.size() && (kUnits[next].name != name || kUnits[next].of_time != time)) ++next;
    if (digits.empty() || fraction || next == kUnits.size())
      return wrong(
          text, fmt::format("'{}'", element),
          "numbers with Y, M, W, D, then T and H, M, S, in this order, a fraction at most in the last",
          kCure);
    const Unit& unit = kUnits[next++];
    if (!add(unit, count, sum)) return too_long(text);
    if (point)
      if (auto added = add_fraction(text, unit, number, sum); !added) return tl::unexpected(added.error());
    fraction = point;
    any = true;
    scan.rest.remove_prefix(1);
  }
  if (!any) return wrong(text, "no number", "one element at least, and one after a T", kCure);
  return sum;
}

/// `P0003-06-04T12:30:05` after the P.
Result<Duration> by_date(std::string_view text, Scanner scan) {
  constexpr const char* kForm = "PYYYY-MM-DDThh:mm:ss with months to 12, days to 30 and hours to 24";
  const auto years = scan.digits(4);
  const bool dash = scan.take("-");
  const auto months = scan.digits(2);
  const bool dash2 = scan.take("-");
  const auto days = scan.digits(2);
  if (!years || !dash || !months || !dash2 || !days || *months > 12 || *days > 30)
    return wrong(text, fmt::format("'{}'", text), kForm, kCure);
  if (*years > 289) return too_long(text);
  Duration sum{*years * 12 + *months, *days, {}};
  if (scan.done()) return sum;
  if (!scan.take("T")) return wrong(text, fmt::format("'{}'", scan.rest), kForm, kCure);
  const auto time = parse_day_time(scan.rest, text);
  if (!time) return tl::unexpected(time.error());
  if (time->offset || !time->extended || time->leap_second) return wrong(text, "that time", kForm, kCure);
  sum.time = Nanoseconds(time->ns);
  return sum;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  Scanner scan{text};
  if (!scan.take("P")) return wrong(text, "no P at the start", "a duration", kCure);
  const bool dated = count_digits(scan.rest) == 4 && scan.rest.substr(4).starts_with('-');
  return dated ? by_date(text, scan) : by_units(text, scan);
}

}  // namespace braid::calendar
