#pragma once
// Many readings in few words.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace braid::serve {

/// One reading's channels and values, as written.
using ReadingValues = std::vector<std::pair<std::string, std::string>>;

/// "gas_flow 9.8 (15.1 before, 9.8 to 15.2 of 1200)": each channel's last value, its first, its range and how
/// many there were. At most 64 channels.
std::string summary_of(const std::vector<const ReadingValues*>& readings);
/// "gas_flow 9.8, current 120".
std::string words_of(const ReadingValues& values);

}  // namespace braid::serve
