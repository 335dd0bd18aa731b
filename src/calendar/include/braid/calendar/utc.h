#pragma once
// Calendar time as integers: points of UTC, and the ranges that a text names.

#include <cstdint>
#include <optional>
#include <string>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid {
namespace detail {
struct UtcTag;
}

/// Nanoseconds since 1970-01-01T00:00:00Z, a day being 86,400 s (POSIX): from 1677-09-21 to 2262-04-11.
using UtcTime = std::chrono::time_point<detail::Epoch<detail::UtcTag>, Nanoseconds>;

namespace calendar {

/// "2026-11-29T10:00:00.5Z": as many decimals as it needs.
std::string utc_text(UtcTime time);

/// How finely a time was told, from coarse to fine.
enum class Precision : std::uint8_t {
  kCentury,
  kDecade,
  kYear,
  kSeason,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kFraction,  ///< a decimal fraction of an hour, minute or second
};
const char* to_string(Precision precision);  ///< "century" to "second", "fraction"

/// One end of a range that has no time.
enum class Edge : std::uint8_t {
  kGiven,
  kOpen,     ///< `..`: it has not begun, or goes on
  kUnknown,  ///< nothing is said: there is such a time, but not which
};

/// What a text says of when: [from, to).
struct UtcRange {
  UtcTime from = UtcTime::min();  ///< min: open or unknown
  UtcTime to = UtcTime::max();    ///< max: open or unknown
  Edge from_edge = Edge::kGiven;
  Edge to_edge = Edge::kGiven;
  Precision precision = Precision::kSecond;  ///< of the coarser end
  bool uncertain = false;                    ///< `?` or `%`
  bool approximate = false;                  ///< `~` or `%`
  bool unspecified = false;                  ///< digits were `X`: somewhere in the range
  bool local = false;                        ///< no offset was written: the asker's zone was taken
  bool leap_second = false;                  ///< a `:60`, which UtcTime counts as the second after it

  bool operator==(const UtcRange&) const = default;
};

}  // namespace calendar
}  // namespace braid
