#include "braid/calendar/zone.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <exception>
#include <string>

#include "day_time_text.h"
#include "scanner.h"

namespace braid::calendar {

/// A place of the tz database; the library keeps it for as long as the process lasts.
struct Zone::Rules {
  const date::time_zone* place;
};

Result<Zone> Zone::parse(std::string_view text) {
  constexpr std::size_t kMaxName = 64;
  Zone zone;
  if (text == "UTC") return zone;
  const bool offset = text == "Z" || text == "z" || text.starts_with('+') || text.starts_with('-');
  if (offset) {
    const auto seconds = parse_offset(text, text);
    if (!seconds) return tl::unexpected(seconds.error());
    zone.fixed_ = *seconds;
    return zone;
  }
  if (text.empty() || text.size() > kMaxName)
    return fail(ErrorCode::kBadInput,
                fmt::format("zone '{}'; expected UTC, an offset as +01:00, or a place as "
                            "Europe/Berlin; correct it",
                            shown(text)));
  try {
    zone.rules_ = std::make_shared<const Rules>(Rules{date::locate_zone(std::string(text))});
  } catch (const std::exception&) {  // no such place, or no database
    return fail(
        ErrorCode::kNotFound,
        fmt::format(
            "zone '{}' isn't in this system's tz database; expected a place as Europe/Berlin; correct "
            "it, install tzdata, or write an offset as +01:00",
            shown(text)));
  }
  return zone;
}

Zone::Offsets Zone::at_local(std::chrono::seconds since_1970) const {
  if (!rules_) return {fixed_, fixed_};
  const date::local_info info = rules_->place->get_info(date::local_seconds(since_1970));
  const bool twice = info.result == date::local_info::ambiguous;
  return {info.first.offset, twice ? info.second.offset : info.first.offset};
}

std::chrono::seconds Zone::at(UtcTime time) const {
  if (!rules_) return fixed_;
  const auto second = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  return rules_->place->get_info(date::sys_seconds(second)).offset;
}

}  // namespace braid::calendar
