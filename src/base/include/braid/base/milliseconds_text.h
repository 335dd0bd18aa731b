#pragma once
// Durations as JSON and people read them.

#include <string>

#include "braid/base/time.h"

namespace braid {

/// Milliseconds as the shortest decimal that is exact: "83.5", "0.000001", "-1.5".
std::string milliseconds_text(Nanoseconds span);

}  // namespace braid
