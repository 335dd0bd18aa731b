#include "config/time_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace braid::serve {

namespace {

constexpr double kMaxSeconds = 3.6e6;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

std::optional<double> clock_seconds(std::string_view text) {
  double total = 0;
  bool first = true;
  while (true) {
    const auto colon = text.find(':');
    const auto part = number(text.substr(0, colon));
    if (!part || (!first && *part >= 60)) return std::nullopt;
    first = false;
    total = total * 60 + *part;
    if (colon == std::string_view::npos) return total;
    text.remove_prefix(colon + 1);
  }
}

std::optional<double> unit_seconds(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    double seconds;
  };
  static constexpr std::array<Unit, 5> kUnits = {
      {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto value = number(text.substr(0, text.size() - unit.suffix.size()));
    return value ? std::optional(*value * unit.seconds) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<Nanoseconds> parse_span(std::string_view text) {
  const auto seconds = unit_seconds(text);
  const auto value = seconds ? seconds : clock_seconds(text);
  if (!value || *value > kMaxSeconds)
    return fail(ErrorCode::kUsage,
                fmt::format("'{}' is not a time: write it as 12.5, 12.5s, 250ms, 2m, 1h or 1:02:03.5", text));
  return from_seconds(*value);
}

}  // namespace braid::serve
