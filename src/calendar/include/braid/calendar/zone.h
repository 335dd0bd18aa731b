#pragma once
// The asker's zone: what local times mean.

#include <chrono>
#include <memory>
#include <string_view>

#include "braid/calendar/utc.h"

namespace braid::calendar {

/// A fixed offset from UTC, or the rules of a place. Cheap to copy; any thread.
class Zone {
 public:
  /// UTC.
  Zone() = default;
  /// "Z", "UTC", "+01:00", "-0330", or a name of the tz database ("Europe/Berlin"), read from the system.
  /// Errors: kBadInput (no such form), kNotFound (no such place, or no tz database here).
  static Result<Zone> parse(std::string_view text);

  /// Seconds ahead of UTC at a local time. Where a clock put back shows it twice, they differ: `first` is of
  /// the earlier point. A time that a clock put forward skips counts by the offset before.
  struct Offsets {
    std::chrono::seconds first, second;
  };
  Offsets at_local(std::chrono::seconds since_1970) const;
  std::chrono::seconds at(UtcTime time) const;

 private:
  struct Rules;
  std::chrono::seconds fixed_{0};
  std::shared_ptr<const Rules> rules_;  // null: `fixed_` always
};

}  // namespace braid::calendar
