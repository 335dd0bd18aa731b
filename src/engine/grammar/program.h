#pragma once
// A context-free grammar over bytes, laid out for stepping.

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

namespace braid::engine::grammar {

using ByteSet = std::bitset<256>;

/// A place in a rule: a byte of a set, a call of another rule, or the end of an alternative.
struct Element {
  enum class Kind : std::uint8_t { kEnd, kBytes, kRule } kind = Kind::kEnd;
  std::uint32_t value = 0;  ///< index into sets or rules
};

/// A rule's alternatives begin at Program::starts[first .. first + count).
struct Rule {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Immutable after it was made; any thread.
struct Program {
  std::vector<Element> elements;      ///< alternatives one after another, each closed by kEnd
  std::vector<std::uint32_t> starts;  ///< of alternatives, in `elements`
  std::vector<Rule> rules;
  std::vector<ByteSet> sets;
  std::uint32_t root = 0;  ///< rule

  std::array<std::uint8_t, 256> class_of{};   ///< bytes of one class are in the same sets
  std::vector<std::uint8_t> representatives;  ///< [classes] a byte of each
};

/// Fills `class_of` and `representatives` from `sets`.
void sort_bytes_into_classes(Program& program);

}  // namespace braid::engine::grammar
