#pragma once
// Sets of characters as sequences of byte sets, so that a grammar over characters runs over UTF-8 bytes.

#include <cstdint>
#include <utility>
#include <vector>

#include "grammar/program.h"

namespace braid::engine::grammar {

/// Code points from first to second, both inside.
using CharacterRange = std::pair<std::uint32_t, std::uint32_t>;

inline constexpr std::uint32_t kLastCharacter = 0x10FFFF;

/// All characters but these. Surrogates belong to neither.
std::vector<CharacterRange> complement(std::vector<CharacterRange> ranges);

/// The UTF-8 forms of the characters: each a sequence of 1 to 4 byte sets. All single bytes are in one.
std::vector<std::vector<ByteSet>> utf8_forms(const std::vector<CharacterRange>& ranges);

}  // namespace braid::engine::grammar
