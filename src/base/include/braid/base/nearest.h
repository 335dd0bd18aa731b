#pragma once
// What somebody may have meant.

#include <span>
#include <string>
#include <string_view>

namespace braid {

/// The candidate with the fewest insertions, deletions and exchanges of characters and swaps of neighbours
/// from `text` (Damerau, A technique for computer detection and correction of spelling errors, 1964; no
/// character is touched twice); the first of equals. Empty where none shares half of it, or `text` has over
/// 64 bytes.
std::string_view nearest(std::string_view text, std::span<const std::string_view> candidates);

/// The cure of a name that isn't one of `known`: "did you mean 'port'?", or "there are port, address".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace braid
