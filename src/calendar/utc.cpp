#include "braid/calendar/utc.h"

#include <fmt/format.h>

#include <array>

namespace braid::calendar {

const char* to_string(Precision precision) {
  static constexpr std::array<const char*, 11> kNames = {
      "century", "decade", "year", "season", "month", "week", "day", "hour", "minute", "second", "fraction"};
  return kNames[static_cast<std::size_t>(precision)];
}

std::string utc_text(UtcTime time) {
  const Nanoseconds since = time.time_since_epoch();
  const auto day = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  // In whole seconds: the first day that nanoseconds reach begins before them.
  const auto floor = std::chrono::floor<std::chrono::seconds>(since);
  const std::int64_t second = (floor - day).count();
  const std::int64_t ns = since.count() - floor.count() * 1'000'000'000;
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 second / 3600, second / 60 % 60, second % 60);
  if (ns > 0) {
    text += fmt::format(".{:09}", ns);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + 'Z';
}

}  // namespace braid::calendar
