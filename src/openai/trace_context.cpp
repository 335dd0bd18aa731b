#include "braid/openai/trace_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace braid::openai {

namespace {

constexpr std::size_t kLength = 55;  // of version 00: 2-32-16-2 digits and three dashes
constexpr std::uint8_t kSampled = 1;
constexpr std::uint8_t kRandom = 2;

// Lower-case hex alone, as the specification has it.
bool read_hex(std::string_view digits, std::span<std::uint8_t> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t high = kDigits.find(digits[2 * i]), low = kDigits.find(digits[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

bool all_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view header) {
  const std::size_t begin = header.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  header = header.substr(begin, header.find_last_not_of(" \t") + 1 - begin);
  if (header.size() < kLength || header[2] != '-' || header[35] != '-' || header[52] != '-')
    return std::nullopt;

  TraceContext context;
  std::array<std::uint8_t, 1> version{}, flags{};
  const bool hex =
      read_hex(header.substr(0, 2), version) && read_hex(header.substr(3, 32), context.trace_id) &&
      read_hex(header.substr(36, 16), context.parent_id) && read_hex(header.substr(53, 2), flags);
  if (!hex || version[0] == 0xFF || all_zero(context.trace_id) || all_zero(context.parent_id))
    return std::nullopt;
  if (header.size() > kLength && (version[0] == 0 || header[kLength] != '-')) return std::nullopt;
  context.sampled = (flags[0] & kSampled) != 0;
  context.random = (flags[0] & kRandom) != 0;
  return context;
}

std::string print_traceparent(const TraceContext& context) {
  const int flags = (context.sampled ? kSampled : 0) | (context.random ? kRandom : 0);
  return fmt::format("00-{:02x}-{:02x}-{:02x}", fmt::join(context.trace_id, ""),
                     fmt::join(context.parent_id, ""), flags);
}

}  // namespace braid::openai
