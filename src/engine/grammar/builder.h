#pragma once
// Rules as they are read, before they are laid out.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/characters.h"
#include "grammar/program.h"

namespace braid::engine::grammar {

using Sequence = std::vector<Element>;

/// Collects rules; elements name each other by index, so a rule may be named before it is defined.
class Builder {
 public:
  static constexpr std::size_t kMaxElements = 1U << 17;  ///< of all rules, kEnd included
  static constexpr std::uint32_t kMaxRepeats = 8192;
  static constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;

  /// The rule of that name, declared if it is new.
  std::uint32_t named(std::string_view name);
  bool knows(std::string_view name) const { return names_.contains(std::string(name)); }
  void define(std::uint32_t rule, std::vector<Sequence> alternatives);
  bool defined(std::uint32_t rule) const { return !rules_[rule].empty(); }
  /// A new rule without a name.
  std::uint32_t make(std::vector<Sequence> alternatives);

  /// The bytes of a text, appended to a sequence.
  void append(Sequence& sequence, std::uint32_t character);
  /// One character of these.
  Element one_of(const std::vector<CharacterRange>& characters);
  /// `what` (one element) between `least` and `most` times; kUnbounded: without end. At most kMaxRepeats
  /// otherwise, which is the caller's to check.
  void append_repeated(Sequence& sequence, Element what, std::uint32_t least, std::uint32_t most);

  bool full() const { return elements_ > kMaxElements; }
  /// The first name that was used and never defined; empty: none.
  std::string undefined() const;
  Program lay_out(std::uint32_t root) const;

 private:
  Element bytes(const ByteSet& set);

  std::vector<std::vector<Sequence>> rules_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::vector<ByteSet> sets_;
  std::map<std::string, std::uint32_t> set_ids_;                    // by the set as text
  std::map<std::vector<CharacterRange>, Element> character_rules_;  // equal classes share a rule
  std::size_t elements_ = 0;
};

}  // namespace braid::engine::grammar
