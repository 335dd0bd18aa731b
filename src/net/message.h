#pragma once
// Answers as bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "exchange_state.h"

namespace braid::net::detail {

/// How a body's end is told.
enum class Framing { kNone, kLength, kChunked, kUntilClose };

/// What an answer's head says besides the answer.
struct HeadFacts {
  std::string_view request_id;
  std::string_view cors_origin;  ///< empty: no CORS headers
  bool http_1_0 = false;
  bool keep_alive = true;
  bool page = false;  ///< a static file: its policy lets it load its own resources
  Framing framing = Framing::kLength;
  std::size_t length = 0;  ///< of the body, for kLength
};

/// Status line and headers, with the empty line. Headers that would break the message are left out and
/// logged.
std::string head_text(const Answer& answer, const HeadFacts& facts);

/// Adds `piece` to `out` as one chunk.
void add_chunk(std::string& out, std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// true if `list`, a comma-separated header value, holds `token` (any case; parameters are ignored).
bool list_holds(std::string_view list, std::string_view token);
/// The items of such a list, without blanks and parameters.
std::vector<std::string_view> list_items(std::string_view list);
/// Whether "Accept-Encoding: `list`" takes `coding` (RFC 9110, 12.5.3).
bool accepts_coding(std::string_view list, std::string_view coding);

}  // namespace braid::net::detail
