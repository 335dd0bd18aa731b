#include "grammar/characters.h"

#include <algorithm>
#include <array>

namespace braid::engine::grammar {

namespace {

constexpr CharacterRange kSurrogates = {0xD800, 0xDFFF};
// The last characters of 1, 2, 3 and 4 bytes.
constexpr std::array<std::uint32_t, 4> kLastOfLength = {0x7F, 0x7FF, 0xFFFF, kLastCharacter};

std::array<std::uint8_t, 4> encode(std::uint32_t character, std::size_t length) {
  constexpr std::array<std::uint32_t, 5> kLead = {0, 0, 0xC0, 0xE0, 0xF0};
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t i = length; i-- > 1; character >>= 6)
    bytes[i] = static_cast<std::uint8_t>(0x80U | (character & 0x3FU));
  bytes[0] = static_cast<std::uint8_t>(kLead[length] | character);
  return bytes;
}

// Splits until each byte runs through a range of its own (as in R. Pike's and K. Thompson's UTF-8 automata,
// and R. Cox, Regular Expression Matching in the Wild, 2010).
void add_forms(CharacterRange range, std::size_t length, std::vector<std::vector<ByteSet>>& forms) {
  const auto [low, high] = range;
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t tail = (1U << (6 * i)) - 1;
    if ((low & ~tail) == (high & ~tail)) continue;
    if ((low & tail) != 0) {
      add_forms({low, low | tail}, length, forms);
      return add_forms({(low | tail) + 1, high}, length, forms);
    }
    if ((high & tail) != tail) {
      add_forms({low, (high & ~tail) - 1}, length, forms);
      return add_forms({high & ~tail, high}, length, forms);
    }
  }
  const auto first = encode(low, length);
  const auto last = encode(high, length);
  std::vector<ByteSet> form(length);
  for (std::size_t i = 0; i < length; ++i)
    for (unsigned byte = first[i]; byte <= last[i]; ++byte) form[i].set(byte);
  if (length == 1 && !forms.empty() && forms.front().size() == 1)
    forms.front().front() |= form.front();
  else
    forms.push_back(std::move(form));
}

}  // namespace

std::vector<CharacterRange> complement(std::vector<CharacterRange> ranges) {
  ranges.push_back(kSurrogates);
  std::sort(ranges.begin(), ranges.end());
  std::vector<CharacterRange> rest;
  std::uint32_t next = 0;
  for (const auto& [first, last] : ranges) {
    if (first > next) rest.emplace_back(next, first - 1);
    if (last >= next) next = last + 1;
  }
  if (next <= kLastCharacter) rest.emplace_back(next, kLastCharacter);
  return rest;
}

std::vector<std::vector<ByteSet>> utf8_forms(const std::vector<CharacterRange>& ranges) {
  std::vector<std::vector<ByteSet>> forms;
  for (std::size_t length = 1; length <= kLastOfLength.size(); ++length) {
    const std::uint32_t least = length == 1 ? 0 : kLastOfLength[length - 2] + 1;
    for (const auto& [first, last] : ranges) {
      const CharacterRange part = {std::max(first, least), std::min(last, kLastOfLength[length - 1])};
      if (part.first <= part.second) add_forms(part, length, forms);
    }
  }
  return forms;
}

}  // namespace braid::engine::grammar
