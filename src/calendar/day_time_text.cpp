#include "day_time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "scanner.h"

namespace braid::calendar {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

/// One more element of a time, if there is one: its two digits, and whether a colon stood before it.
struct Element {
  std::optional<int> value;
  bool colon = false;
};
Element take_element(Scanner& scan) {
  Element element;
  Scanner ahead = scan;
  element.colon = ahead.take(":");
  element.value = ahead.digits(2);
  if (element.value) scan = ahead;
  return element;
}

Status check_elements(std::string_view whole, int hour, int minute, int second, bool rest) {
  if (hour > 24 || (hour == 24 && (minute > 0 || second > 0 || rest)))
    return wrong(whole, fmt::format("hour {}", hour), "00 to 23, or 24:00 for the end of the day");
  if (minute > 59) return wrong(whole, fmt::format("minute {}", minute), "00 to 59");
  if (second > 60) return wrong(whole, fmt::format("second {}", second), "00 to 59, or 60 in a leap second");
  return {};
}

}  // namespace

std::size_t offset_place(std::string_view time) {
  return std::min({time.find_first_of("Zz+-"), time.find("\xE2\x88\x92"), time.size()});
}

Result<std::chrono::seconds> parse_offset(std::string_view offset, std::string_view whole) {
  constexpr const char* kForms = "Z, +01, +01:00 or -0330, less than a day";
  if (offset == "Z" || offset == "z") return std::chrono::seconds(0);
  Scanner scan{offset};
  const int sign = scan.sign();
  const auto hours = scan.digits(2);
  int minutes = 0;
  if (hours && !scan.done()) {
    scan.take(":");
    minutes = scan.digits(2).value_or(60);
  }
  if (sign == 0 || !hours || *hours > 23 || minutes > 59 || !scan.done())
    return wrong(whole, fmt::format("offset '{}'", offset), kForms);
  return std::chrono::seconds(sign * (*hours * 3600 + minutes * 60));
}

Result<DayTime> parse_day_time(std::string_view time, std::string_view whole) {
  const std::size_t place = offset_place(time);
  Scanner scan{time.substr(0, place)};
  const auto hour = scan.digits(2);
  if (!hour) return wrong(whole, fmt::format("time of day '{}'", time), "two digits of hours");
  const Element minute = take_element(scan);
  const Element second = minute.value ? take_element(scan) : Element{};
  DayTime result;
  result.elements = second.value ? 3 : minute.value ? 2 : 1;
  result.extended = minute.colon;
  result.precision = second.value ? Precision::kSecond : minute.value ? Precision::kMinute : Precision::kHour;
  result.step = second.value ? kSecond : minute.value ? kMinute : kHour;
  result.leap_second = second.value == 60;
  result.ns = *hour * kHour + minute.value.value_or(0) * kMinute + second.value.value_or(0) * kSecond;
  if (const auto fraction = take_fraction(scan, result.step)) {
    result.ns += fraction->ns;
    result.step = fraction->step;
    result.precision = Precision::kFraction;
  }
  if (!scan.done() || (second.value && second.colon != minute.colon))
    return wrong(whole, fmt::format("time of day '{}'", time),
                 "hh:mm:ss or hhmmss, with a fraction at most in the last element");
  const bool past_midnight = result.ns > kDay;
  if (auto good =
          check_elements(whole, *hour, minute.value.value_or(0), second.value.value_or(0), past_midnight);
      !good)
    return tl::unexpected(good.error());
  if (place == time.size()) return result;
  auto offset = parse_offset(time.substr(place), whole);
  if (!offset) return tl::unexpected(offset.error());
  result.offset = *offset;
  return result;
}

}  // namespace braid::calendar
