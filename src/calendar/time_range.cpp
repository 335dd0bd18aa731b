#include "braid/calendar/time_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "point_text.h"
#include "scanner.h"

namespace braid::calendar {

namespace {

void mark(UtcRange& range, const Point& point) {
  const Precision precision = point.time ? point.time->precision : point.date.precision;
  range.precision = std::min(range.precision, precision);
  range.uncertain = range.uncertain || point.date.uncertain;
  range.approximate = range.approximate || point.date.approximate;
  range.unspecified = range.unspecified || point.date.unspecified;
  range.local = range.local || !point.offset;
  range.leap_second = range.leap_second || (point.time && point.time->leap_second);
}

UtcRange unmarked() {
  UtcRange range;
  range.precision = Precision::kFraction;  // the finest: each point makes it coarser
  return range;
}

Result<UtcRange> one_point(std::string_view text, const Asker& asker) {
  const auto point = parse_point(split_point(text), text, asker);
  if (!point) return tl::unexpected(point.error());
  const auto span = range_of(*point, text, asker);
  if (!span) return tl::unexpected(span.error());
  UtcRange range = unmarked();
  range.from = span->from;
  range.to = span->to;
  mark(range, *point);
  return range;
}

/// What an interval's half is.
struct Half {
  Edge edge = Edge::kGiven;
  std::optional<Duration> duration;
  std::optional<Point> point;
};

Result<Half> read_half(std::string_view text, const PointParts& parts, std::string_view whole,
                       const Asker& asker) {
  Half half;
  if (text.empty() || text == "..") {
    half.edge = text.empty() ? Edge::kUnknown : Edge::kOpen;
  } else if (text.starts_with('P')) {
    const auto duration = parse_duration(text);
    if (!duration) return tl::unexpected(duration.error());
    half.duration = *duration;
  } else {
    const auto point = parse_point(parts, whole, asker);
    if (!point) return tl::unexpected(point.error());
    half.point = *point;
  }
  return half;
}

Status set_ends(UtcRange& range, const Half& start, const Half& end, std::string_view whole,
                const Asker& asker) {
  range.from_edge = start.edge;
  range.to_edge = end.edge;
  for (const Half* half : {&start, &end}) {
    if (!half->point) continue;
    const auto span = range_of(*half->point, whole, asker);
    if (!span) return tl::unexpected(span.error());
    mark(range, *half->point);
    if (half == &start)
      range.from = span->from;
    else
      range.to = span->as_end;
    const Half& other = half == &start ? end : start;
    if (!other.duration) continue;
    const auto far = shifted(*half->point, *other.duration, half == &end, whole, asker);
    if (!far) return tl::unexpected(far.error());
    (half == &start ? range.to : range.from) = *far;
  }
  return {};
}

Result<UtcRange> interval(std::string_view whole, std::size_t slash, const Asker& asker) {
  const std::string_view first = whole.substr(0, slash), second = whole.substr(slash + 1);
  if (second.find('/') != std::string_view::npos)
    return wrong(whole, "two slashes", "one between start and end",
                 "write an interval as 2026-11-29T10:00Z/PT72H");
  const PointParts from = split_point(first);
  const auto start = read_half(first, from, whole, asker);
  if (!start) return tl::unexpected(start.error());
  const auto end =
      read_half(second, start->point ? complete_end(from, second) : split_point(second), whole, asker);
  if (!end) return tl::unexpected(end.error());
  if (!start->point && !end->point)
    return wrong(whole, "neither a start nor an end", "a time before or after the slash",
                 "write an interval as 2026-11-29T10:00Z/PT72H");
  UtcRange range = unmarked();
  if (auto set = set_ends(range, *start, *end, whole, asker); !set) return tl::unexpected(set.error());
  if (range.from >= range.to)
    return wrong(whole, "an end that isn't after the start", "one that is",
                 "exchange them, or name a longer range");
  return range;
}

Result<UtcRange> until_now(std::string_view text, const Asker& asker) {
  const auto duration = parse_duration(text);
  if (!duration) return tl::unexpected(duration.error());
  if (!asker.now)
    return wrong(text, "a duration alone, where nobody knows what is now", "a start or an end",
                 "write an interval as 2026-11-29T10:00Z/PT72H");
  // On the asker's clock, whose midnight is what months and days count from.
  const std::chrono::seconds ahead = asker.zone.at(*asker.now);
  const Nanoseconds local = asker.now->time_since_epoch();
  const auto room = std::chrono::abs(local) + Nanoseconds(ahead);
  if (room > std::chrono::days(290 * 366)) return out_of_range(text);
  const auto day = std::chrono::floor<std::chrono::days>(local + ahead);
  Point point;
  point.date = {day.count(), day.count() + 1};
  point.time = DayTime{(local + ahead - day).count(), 1, Precision::kFraction, 3, true, false, {}};
  const auto from = shifted(point, *duration, true, text, asker);
  if (!from) return tl::unexpected(from.error());
  if (*from >= *asker.now) return wrong(text, "no time at all", "a duration longer than nothing");
  UtcRange range = unmarked();
  range.from = *from;
  range.to = *asker.now;
  range.local = true;
  return range;
}

}  // namespace

Result<UtcRange> parse_time_range(std::string_view text, const Asker& asker) {
  if (text.size() > kMaxTimeBytes)
    return wrong(text, fmt::format("{} bytes", text.size()), fmt::format("at most {}", kMaxTimeBytes));
  if (text.starts_with('R') && text.find('/') != std::string_view::npos)
    return fail(ErrorCode::kUnsupported,
                fmt::format("time '{}' repeats; expected one interval; ask for each", shown(text)));
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos)
    return interval(text, slash, asker);
  if (text.starts_with('P')) return until_now(text, asker);
  return one_point(text, asker);
}

}  // namespace braid::calendar
