#include "scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "braid/base/utf8.h"

namespace braid::calendar {

namespace {

constexpr std::size_t kShown = 60;  // bytes of a text in a message
constexpr std::string_view kMinus = "\xE2\x88\x92";

}  // namespace

std::string shown(std::string_view text) { return to_valid_utf8(text.substr(0, kShown)); }

tl::unexpected<Error> wrong(std::string_view text, std::string_view got, std::string_view expected,
                            std::string_view cure) {
  return fail(ErrorCode::kBadInput,
              fmt::format("time '{}': {}; expected {}; {}", shown(text), shown(got), expected, cure));
}

tl::unexpected<Error> out_of_range(std::string_view text) {
  return fail(
      ErrorCode::kLimit,
      fmt::format("time '{}' is out of range; expected 1677-09-22 to 2262-04-10, which nanoseconds can "
                  "count; ask for a part of it, or leave that end open (..)",
                  shown(text)));
}

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

bool Scanner::take(std::string_view any_of) {
  if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

std::optional<int> Scanner::digits(std::size_t count) {
  if (count > 9 || count_digits(rest) < count) return std::nullopt;
  int value = 0;
  for (const char c : rest.substr(0, count)) value = value * 10 + (c - '0');
  rest.remove_prefix(count);
  return value;
}

int Scanner::sign() {
  if (take("+")) return 1;
  if (take("-")) return -1;
  if (!rest.starts_with(kMinus)) return 0;
  rest.remove_prefix(kMinus.size());
  return -1;
}

std::optional<Fraction> take_fraction(Scanner& scanner, std::int64_t unit) {
  Scanner ahead = scanner;
  if (!ahead.take(".,")) return std::nullopt;
  const std::string_view digits = ahead.rest.substr(0, count_digits(ahead.rest));
  if (digits.empty()) return std::nullopt;
  Fraction fraction{0, unit};
  // From the last digit on: cutting at each step is then the same as cutting once.
  for (std::size_t i = digits.size(); i-- > 0;) {
    fraction.ns = (fraction.ns + (digits[i] - '0') * unit) / 10;
    fraction.step = std::max<std::int64_t>(1, fraction.step / 10);
  }
  ahead.rest.remove_prefix(digits.size());
  scanner = ahead;
  return fraction;
}

}  // namespace braid::calendar
