#pragma once
// Reading a time from left to right, and saying what is wrong with it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::calendar {

/// "time '2026-13': month 13; expected 01 to 12; write 2026-11-29T10:00:00.5Z".
tl::unexpected<Error> wrong(std::string_view text, std::string_view got, std::string_view expected,
                            std::string_view cure = "write a time as 2026-11-29T10:00:00.5Z");
/// The beginning of a text, for a message.
std::string shown(std::string_view text);
/// Outside of what nanoseconds can hold.
tl::unexpected<Error> out_of_range(std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// How many of the first characters are digits.
std::size_t count_digits(std::string_view text);

/// The next characters of a text.
struct Scanner {
  std::string_view rest;

  bool done() const { return rest.empty(); }
  bool take(std::string_view any_of);
  /// Exactly so many digits (at most 9), or nothing is taken.
  std::optional<int> digits(std::size_t count);
  /// "+": 1, "-" (also U+2212): -1, else 0.
  int sign();
};

/// A decimal fraction of `unit` ns, exact, cut to whole ns. No digits, no fraction.
struct Fraction {
  std::int64_t ns = 0;
  std::int64_t step = 0;  ///< ns of its last digit, at least 1
};
/// ".5" or ",5" taken off; none: nothing there, or no digits after the mark (then `rest` is unchanged).
std::optional<Fraction> take_fraction(Scanner& scanner, std::int64_t unit);

}  // namespace braid::calendar
