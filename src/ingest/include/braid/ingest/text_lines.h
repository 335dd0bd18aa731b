#pragma once
// Text files: plain lines, or one JSON object with "text" a line.

#include <cstddef>
#include <optional>
#include <string_view>

#include "braid/ingest/log_row.h"

namespace braid::ingest {

inline constexpr std::size_t kMaxTextBytes = 4096;  ///< of one line of text

/// A line without its end to a row; none for a blank line.
/// Plain: `[12.4s] words`, `[01:02.5] words`, `[1:01:02.5] words`, or words alone (no time).
/// JSON: {"t_us" | "time_s" | "start_us" ..., "end_us" ..., "text"}; any of the units ns, us, ms, s.
/// Pure. Errors: kBadInput, kLimit; say what is wrong with the line, without its number.
Result<std::optional<LogRow>> parse_text_line(std::string_view line);

/// One line without control characters and outer spaces: line ends become spaces. kBadInput: not UTF-8.
/// kLimit: more than kMaxTextBytes.
Result<std::string> clean_text(std::string_view text);

}  // namespace braid::ingest
