#include "date_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "scanner.h"

namespace braid::calendar {

namespace {

namespace ch = std::chrono;

constexpr int kFirstYear = 1677;  // what nanoseconds can hold
constexpr int kLastYear = 2262;

std::int64_t day_of(int year, unsigned month, unsigned day) {
  return ch::sys_days(ch::year(year) / ch::month(month) / ch::day(day)).time_since_epoch().count();
}

/// The Monday of a year's first week: the one that holds 4 January.
std::int64_t first_monday(int year) {
  const ch::sys_days fourth = ch::year(year) / ch::January / 4;
  return (fourth - (ch::weekday(fourth) - ch::Monday)).time_since_epoch().count();
}

DateSpan years(int from, int to, Precision precision) {
  return {day_of(from, 1, 1), day_of(to, 1, 1), precision};
}

DateSpan month_span(int year, int month, int count, Precision precision) {
  const std::int64_t first = day_of(year, static_cast<unsigned>(month), 1);
  return {first, add_months(first, count), precision};
}

/// What follows the year, and all that messages need.
struct Rest {
  std::string_view whole;
  int year;
  std::string_view text;  // "-11-29", "W487", ...
};

Result<DateSpan> week_date(const Rest& rest, Scanner scan, bool extended) {
  const auto week = scan.digits(2);
  if (!week) return wrong(rest.whole, fmt::format("week '{}'", scan.rest), "two digits, 01 to 53");
  const std::int64_t start = first_monday(rest.year), next = first_monday(rest.year + 1);
  if (*week < 1 || *week > (next - start) / 7)
    return wrong(rest.whole, fmt::format("week {} of {}", *week, rest.year),
                 fmt::format("01 to {}", (next - start) / 7));
  const std::int64_t monday = start + (*week - 1) * 7;
  if (scan.done()) return DateSpan{monday, monday + 7, Precision::kWeek, extended};
  const bool dash = scan.take("-");
  const auto day = scan.digits(1);
  if (!day || *day < 1 || *day > 7 || !scan.done() || dash != extended)
    return wrong(rest.whole, fmt::format("'{}' after the week", scan.rest), "a day of the week, 1 to 7",
                 "write a week date as 2026-W48-7 or 2026W487");
  return DateSpan{monday + *day - 1, monday + *day, Precision::kDay, extended};
}

Result<DateSpan> ordinal_date(const Rest& rest, int day, bool extended) {
  const bool leap = ch::year(rest.year).is_leap();
  if (day < 1 || day > (leap ? 366 : 365))
    return wrong(rest.whole, fmt::format("day {} of {}", day, rest.year),
                 fmt::format("001 to {}", leap ? 366 : 365));
  const std::int64_t first = day_of(rest.year, 1, 1) + day - 1;
  return DateSpan{first, first + 1, Precision::kDay, extended};
}

Result<DateSpan> day_of_month(const Rest& rest, int month, int day, bool extended) {
  const ch::year_month_day date{ch::year(rest.year), ch::month(static_cast<unsigned>(month)),
                                ch::day(static_cast<unsigned>(day))};
  if (month < 1 || month > 12) return wrong(rest.whole, fmt::format("month {}", month), "01 to 12");
  if (!date.ok())
    return wrong(rest.whole, fmt::format("day {}", day), fmt::format("a day of {}-{:02}", rest.year, month));
  const std::int64_t first = ch::sys_days(date).time_since_epoch().count();
  return DateSpan{first, first + 1, Precision::kDay, extended};
}

/// `-XX` or `-XX-XX`: some month, and day, of the year.
Result<DateSpan> some_month(const Rest& rest) {
  if (rest.text != "-XX" && rest.text != "-XX-XX")
    return wrong(rest.whole, "a day of an unspecified month", "XX for the day too");
  DateSpan span = years(rest.year, rest.year + 1, Precision::kYear);
  span.unspecified = true;
  return span;
}

/// `-11`, `-11-29`, `-11-XX`, `-21` (spring).
Result<DateSpan> month_date(const Rest& rest) {
  constexpr int kSpring = 21, kWinter = 24;
  Scanner scan{rest.text.substr(1)};
  const auto month = scan.digits(2);
  if (!month) return wrong(rest.whole, fmt::format("month '{}'", scan.rest), "two digits, 01 to 12");
  if (scan.done() && *month >= kSpring && *month <= kWinter)
    return month_span(rest.year, 3 * (*month - kSpring) + 3, 3, Precision::kSeason);
  if (*month < 1 || *month > 12)
    return wrong(rest.whole, fmt::format("month {}", *month), "01 to 12, or a season 21 to 24");
  if (scan.done()) return month_span(rest.year, *month, 1, Precision::kMonth);
  if (scan.rest == "-XX") {
    DateSpan span = month_span(rest.year, *month, 1, Precision::kMonth);
    span.unspecified = true;
    return span;
  }
  const bool dash = scan.take("-");
  const auto day = scan.digits(2);
  if (!dash || !day || !scan.done())
    return wrong(rest.whole, fmt::format("'{}' after the month", scan.rest), "a day, two digits");
  return day_of_month(rest, *month, *day, true);
}

Result<DateSpan> after_year(const Rest& rest) {
  Scanner scan{rest.text};
  if (scan.done()) return years(rest.year, rest.year + 1, Precision::kYear);
  if (scan.take("W")) return week_date(rest, scan, false);
  if (!scan.take("-"))
    return wrong(rest.whole, fmt::format("'{}' after the year", rest.text), "month, week or day");
  if (scan.take("W")) return week_date(rest, scan, true);
  if (scan.rest.starts_with('X')) return some_month(rest);
  if (scan.rest.size() == 3 && count_digits(scan.rest) == 3) return ordinal_date(rest, *scan.digits(3), true);
  return month_date(rest);
}

/// The same with the bounds that keep years within what nanoseconds hold.
Result<DateSpan> of_year(std::string_view whole, int year, std::string_view text) {
  if (year < kFirstYear || year > kLastYear) return out_of_range(whole);
  return after_year({whole, year, text});
}

/// The decade or century whose first three or two digits are `known`.
Result<DateSpan> year_block(std::string_view whole, int known, std::size_t digits) {
  const int span = digits == 3 ? 10 : 100;
  if (known * span < kFirstYear || (known + 1) * span > kLastYear) return out_of_range(whole);
  return years(known * span, (known + 1) * span, digits == 3 ? Precision::kDecade : Precision::kCentury);
}

/// `201X`, `20XX`: a year whose first `digits` are given.
Result<DateSpan> some_year(std::string_view whole, std::string_view date, std::size_t digits) {
  if (date.size() != 4 || date.find_first_not_of('X', digits) != std::string_view::npos || digits < 2)
    return wrong(whole, "unspecified digits", "them in the last one or two of a year, as in 202X or 20XX");
  auto span = year_block(whole, *Scanner{date}.digits(digits), digits);
  if (span) span->unspecified = true;
  return span;
}

/// A date of digits alone: basic form, year, decade or century.
Result<DateSpan> digits_only(std::string_view whole, std::string_view date) {
  Scanner scan{date};
  switch (date.size()) {
    case 2:
    case 3:
      return year_block(whole, *scan.digits(date.size()), date.size());
    case 4:
      return of_year(whole, *scan.digits(4), {});
    case 7:
    case 8: {
      const Rest rest{whole, *scan.digits(4), {}};
      if (rest.year < kFirstYear || rest.year > kLastYear) return out_of_range(whole);
      if (date.size() == 7) return ordinal_date(rest, *scan.digits(3), false);
      const int month = *scan.digits(2);
      return day_of_month(rest, month, *scan.digits(2), false);
    }
    case 6:
      return wrong(whole, "six digits, which could be YYMMDD", "a year and a month with a dash",
                   "write it as 2026-11");
    default:
      return wrong(whole, fmt::format("{} digits", date.size()), "4 (a year), 7 or 8 (a day)");
  }
}

/// `Y-17000`: a year of more than four digits.
Result<DateSpan> long_year(std::string_view whole, std::string_view date) {
  Scanner scan{date.substr(1)};
  scan.take("-");
  if (count_digits(scan.rest) != scan.rest.size() || scan.rest.size() < 5)
    return wrong(whole, fmt::format("year '{}'", date), "five digits or more after Y");
  return out_of_range(whole);
}

Result<DateSpan> plain_date(std::string_view whole, std::string_view date) {
  if (date.starts_with('Y')) return long_year(whole, date);
  Scanner scan{date};
  const int sign = scan.sign();
  const std::size_t digits = count_digits(scan.rest);
  if (sign == 0 && digits == date.size() && digits > 0) return digits_only(whole, date);
  const bool some = digits < 4 && scan.rest.substr(digits).starts_with('X');
  if (sign == 0 && some && digits > 0) return some_year(whole, date, digits);
  if (sign == 0 ? digits != 4 : digits < 4)
    return wrong(whole, date.empty() ? "no date" : fmt::format("date '{}'", date), "a year of four digits");
  // Nanoseconds hold no year of five digits, but leading zeros are fine.
  const std::size_t zeros = std::min(scan.rest.find_first_not_of('0'), digits - 4);
  scan.rest.remove_prefix(zeros);
  if (sign < 0 || digits - zeros > 4) return out_of_range(whole);
  const int year = *scan.digits(4);
  return of_year(whole, year, scan.rest);
}

}  // namespace

std::int64_t add_months(std::int64_t day, std::int64_t months) {
  const ch::year_month_day from{ch::sys_days(ch::days(day))};
  const std::int64_t count =
      static_cast<int>(from.year()) * std::int64_t{12} + static_cast<unsigned>(from.month()) - 1 + months;
  const std::int64_t year = count >= 0 ? count / 12 : (count - 11) / 12;
  const ch::year_month month{ch::year(static_cast<int>(year)),
                             ch::month(static_cast<unsigned>(count - year * 12 + 1))};
  const ch::year_month_day_last last = month / ch::last;
  return ch::sys_days(month / std::min(from.day(), last.day())).time_since_epoch().count();
}

Result<DateSpan> parse_date(std::string_view date, std::string_view whole) {
  const char mark = date.empty() ? ' ' : date.back();
  const bool qualified = mark == '?' || mark == '~' || mark == '%';
  if (qualified) date.remove_suffix(1);
  auto span = plain_date(whole, date);
  if (!span) return span;
  span->uncertain = mark == '?' || mark == '%';
  span->approximate = mark == '~' || mark == '%';
  return span;
}

}  // namespace braid::calendar
