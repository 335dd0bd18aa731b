#pragma once
// The words of a query.

#include <string>
#include <string_view>
#include <vector>

namespace braid::retrieve {

inline constexpr std::size_t kMaxQueryWords = 32;

/// Runs of letters and digits, and of what isn't ASCII, in the order they come, each once; English function
/// words ("the", "what") only where there is nothing else. At most kMaxQueryWords. Pure.
std::vector<std::string> query_words(std::string_view text);

/// The same, each as often as it comes, function words left out, as many as there are. Pure.
std::vector<std::string> all_words(std::string_view text);

}  // namespace braid::retrieve
