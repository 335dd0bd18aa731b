#pragma once
// What somebody may have meant.

#include <string>
#include <string_view>
#include <vector>

namespace braid::serve {

/// The candidate with the fewest insertions, deletions and exchanges of characters from `text` (Levenshtein,
/// 1966); the first of equals. Empty where none shares half of it.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

}  // namespace braid::serve
