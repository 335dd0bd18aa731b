#pragma once
// Clocks as people and programs read them.

#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"
#include "braid/serve/session_clocks.h"

namespace braid::serve {

/// {"object": "list", "data": [...]}: docs/time.md has the members.
std::string print_clocks(const std::vector<ClockState>& clocks);
/// Lines of a table with a head.
std::string clock_table(const std::vector<ClockState>& clocks);
/// What print_clocks() made, as far as a table needs it. Any bytes will do; doesn't throw. kBadInput.
Result<std::vector<ClockState>> parse_clocks(std::string_view json);

}  // namespace braid::serve
