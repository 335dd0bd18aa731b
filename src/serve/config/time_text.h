#pragma once
// Times and spans as people type them.

#include <string_view>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::serve {

/// "1.5s", "250ms", "2m", "1h", "3" (seconds), "1:02.5", "1:00:00". Not negative, at most 1,000 h. kUsage
/// otherwise.
Result<Nanoseconds> parse_span(std::string_view text);

}  // namespace braid::serve
