#pragma once
// W3C Trace Context, level 2: the header `traceparent`.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid::openai {

struct TraceContext {
  std::array<std::uint8_t, 16> trace_id{};  ///< not all zero
  std::array<std::uint8_t, 8> parent_id{};  ///< the sender's span; not all zero
  bool sampled = false;                     ///< the sender may have recorded it
  bool random = false;                      ///< the trace id's last 7 bytes are random
};

/// None where the header is to be ignored: malformed, version ff, an id of zeros. Of versions after 00 the
/// known fields are read and what follows another dash is not.
std::optional<TraceContext> parse_traceparent(std::string_view header);

/// As version 00.
std::string print_traceparent(const TraceContext& context);

}  // namespace braid::openai
