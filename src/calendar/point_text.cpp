#include "point_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "scanner.h"

namespace braid::calendar {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDaySeconds = 86'400;

/// A place on a local clock.
struct LocalTime {
  std::int64_t day;
  std::int64_t ns;  // since its midnight; may be 24 h and more
};

/// With the earlier or, where a clock shows it twice and `late`, the later of its meanings.
Result<UtcTime> to_utc(LocalTime local, const std::optional<std::chrono::seconds>& offset, bool late,
                       std::string_view whole, const Asker& asker) {
  const std::int64_t second = local.day * kDaySeconds + local.ns / kSecond;
  std::chrono::seconds ahead = offset.value_or(std::chrono::seconds(0));
  if (!offset) {
    const Zone::Offsets offsets = asker.zone.at_local(std::chrono::seconds(second));
    ahead = late ? offsets.second : offsets.first;
  }
  std::int64_t ns = 0;
  // Seconds before 1970 and a part of one would overflow at the very beginning, though the sum would fit.
  if (__builtin_mul_overflow(second - ahead.count(), kSecond, &ns) ||
      __builtin_add_overflow(ns, local.ns % kSecond, &ns) ||
      ns == UtcTime::min().time_since_epoch().count() || ns == UtcTime::max().time_since_epoch().count())
    return out_of_range(whole);
  return UtcTime(Nanoseconds(ns));
}

/// The day on which `now` is, on the clock that the time is of.
Result<std::int64_t> today(const std::optional<std::chrono::seconds>& offset, std::string_view whole,
                           const Asker& asker) {
  if (!asker.now)
    return wrong(whole, "a time without a date, where nobody knows the day", "a date before it");
  const std::chrono::seconds ahead = offset ? *offset : asker.zone.at(*asker.now);
  const auto second = std::chrono::floor<std::chrono::seconds>(asker.now->time_since_epoch()) + ahead;
  return std::chrono::floor<std::chrono::days>(second).count();
}

/// A leap second is 23:59:60 UTC at the end of a month: the second after it starts a day and a month.
Status check_leap_second(UtcTime time, std::string_view whole) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  if (second == day && date.day() == std::chrono::day(1)) return {};
  return wrong(whole, "second 60", "00 to 59; 60 only at 23:59 UTC of a month's last day, in a leap second");
}

bool is_time_alone(std::string_view text) {
  return text.starts_with('T') || text.starts_with('t') || (text.size() > 2 && text[2] == ':');
}

/// True if an interval's end has a date of its own; `start` is the start's date.
bool has_whole_date(std::string_view start, std::string_view end) {
  if (end.empty() || !is_digit(end.front())) return !end.empty() && end.front() != 'W';
  const bool extended = start.find('-') != std::string_view::npos || start.size() == 4;
  if (!extended) return end.size() >= start.size();
  const std::size_t year = std::min(end.find_first_not_of("0123456789X"), end.size());
  return year == 4 || end.size() >= start.size();
}

std::string_view without_qualifier(std::string_view date) {
  const bool qualified = date.ends_with('?') || date.ends_with('~') || date.ends_with('%');
  return date.substr(0, date.size() - (qualified ? 1 : 0));
}

/// `tail` with what of `head` stands before it.
std::string after(std::string_view head, std::size_t tail_size, std::string_view tail) {
  return std::string(head.substr(0, head.size() - std::min(head.size(), tail_size))) + std::string(tail);
}

}  // namespace

PointParts split_point(std::string_view text) {
  PointParts parts;
  const std::size_t mark = is_time_alone(text) ? 0 : std::min(text.find_first_of("Tt "), text.size());
  parts.date = text.substr(0, mark);
  std::string_view time = text.substr(mark);
  if (time.size() > 1 && !is_digit(time.front())) time.remove_prefix(1);  // a T alone is an error, kept
  const std::size_t offset = offset_place(time);
  parts.time = time.substr(0, offset);
  parts.offset = time.substr(offset);
  return parts;
}

PointParts complete_end(PointParts start, std::string_view text) {
  PointParts end = split_point(text);
  start.date = without_qualifier(start.date);
  const bool named = text.starts_with('T') || text.starts_with('t');
  bool short_time = !named && end.date.empty();
  if (end.time.empty() && !start.time.empty() && !has_whole_date(start.date, end.date)) {
    const std::size_t offset = offset_place(end.date);
    end.time = end.date.substr(0, offset);
    end.offset = end.date.substr(offset);
    end.date.clear();
    short_time = true;
  }
  if (end.date.empty()) {
    end.date = start.date;
  } else if (!has_whole_date(start.date, end.date)) {
    end.date = after(start.date, without_qualifier(end.date).size(), end.date);
  }
  if (short_time) {
    // Elements count from the right, fractions apart.
    const std::string_view whole = std::string_view(start.time).substr(0, start.time.find_first_of(".,"));
    const std::size_t size = std::min(end.time.find_first_of(".,"), end.time.size());
    end.time = after(whole, size, end.time);
  }
  if (!end.time.empty() && end.offset.empty()) end.offset = start.offset;
  return end;
}

Result<Point> parse_point(const PointParts& parts, std::string_view whole, const Asker& asker) {
  Point point;
  if (parts.time.empty()) {
    auto date = parse_date(parts.date, whole);
    if (!date) return tl::unexpected(date.error());
    point.date = *date;
    if (!parts.offset.empty()) return wrong(whole, "an offset without a time", "a time before it");
    return point;
  }
  const auto time = parse_day_time(parts.time + parts.offset, whole);
  if (!time) return tl::unexpected(time.error());
  point.time = *time;
  point.offset = time->offset;
  if (parts.date.empty()) {
    const auto day = today(point.offset, whole, asker);
    if (!day) return tl::unexpected(day.error());
    point.date = {*day, *day + 1};
    return point;
  }
  auto date = parse_date(parts.date, whole);
  if (!date) return tl::unexpected(date.error());
  point.date = *date;
  if (date->precision != Precision::kDay || date->uncertain || date->approximate)
    return wrong(whole, "a time of no certain day", "year, month and day before a time");
  if (time->elements > 1 && date->extended != time->extended)
    return wrong(whole, "separators in the date alone or in the time alone", "both or neither");
  return point;
}

Result<PointRange> range_of(const Point& point, std::string_view whole, const Asker& asker) {
  const std::int64_t ns = point.time ? point.time->ns : 0;
  const auto from = to_utc({point.date.first, ns}, point.offset, false, whole, asker);
  const auto to = point.time ? to_utc({point.date.first, ns}, point.offset, true, whole, asker)
                             : to_utc({point.date.end, 0}, point.offset, false, whole, asker);
  if (!from || !to) return tl::unexpected((from ? to : from).error());
  if (!point.time) return PointRange{*from, *to, *to};
  if (point.time->leap_second)
    if (auto good = check_leap_second(*from, whole); !good) return tl::unexpected(good.error());
  const Nanoseconds step(point.time->step);
  if (*to >= UtcTime::max() - step) return out_of_range(whole);
  return PointRange{*from, *to + step, *to};
}

Result<UtcTime> shifted(const Point& point, const Duration& by, bool back, std::string_view whole,
                        const Asker& asker) {
  const std::int64_t sign = back ? -1 : 1;
  LocalTime local{back && !point.time ? point.date.end : point.date.first, point.time ? point.time->ns : 0};
  local.day = add_months(local.day, sign * by.months) + sign * by.days;
  const auto time = to_utc(local, point.offset, false, whole, asker);
  if (!time) return tl::unexpected(time.error());
  std::int64_t ns = 0;
  if (__builtin_add_overflow(time->time_since_epoch().count(), sign * by.time.count(), &ns) ||
      ns == UtcTime::min().time_since_epoch().count() || ns == UtcTime::max().time_since_epoch().count())
    return out_of_range(whole);
  return UtcTime(Nanoseconds(ns));
}

}  // namespace braid::calendar
