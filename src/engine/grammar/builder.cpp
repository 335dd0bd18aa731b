#include "grammar/builder.h"

#include <utility>

namespace braid::engine::grammar {

std::uint32_t Builder::named(std::string_view name) {
  const auto known = names_.find(name);
  if (known != names_.end()) return known->second;
  const auto rule = static_cast<std::uint32_t>(rules_.size());
  rules_.emplace_back();
  names_.emplace(name, rule);
  return rule;
}

void Builder::define(std::uint32_t rule, std::vector<Sequence> alternatives) {
  for (const Sequence& sequence : alternatives) elements_ += sequence.size() + 1;
  rules_[rule] = std::move(alternatives);
}

std::uint32_t Builder::make(std::vector<Sequence> alternatives) {
  const auto rule = static_cast<std::uint32_t>(rules_.size());
  rules_.emplace_back();
  define(rule, std::move(alternatives));
  return rule;
}

Element Builder::bytes(const ByteSet& set) {
  const auto [at, added] = set_ids_.emplace(set.to_string(), static_cast<std::uint32_t>(sets_.size()));
  if (added) sets_.push_back(set);
  return {Element::Kind::kBytes, at->second};
}

void Builder::append(Sequence& sequence, std::uint32_t character) {
  for (const auto& form : utf8_forms({{character, character}}))
    for (const ByteSet& byte : form) sequence.push_back(bytes(byte));
}

Element Builder::one_of(const std::vector<CharacterRange>& characters) {
  const auto known = character_rules_.find(characters);
  if (known != character_rules_.end()) return known->second;
  const auto forms = utf8_forms(characters);
  Element made;
  if (forms.size() == 1 && forms.front().size() == 1) {
    made = bytes(forms.front().front());
  } else {
    std::vector<Sequence> alternatives;
    for (const auto& form : forms) {
      Sequence& sequence = alternatives.emplace_back();
      for (const ByteSet& byte : form) sequence.push_back(bytes(byte));
    }
    // No character at all: a byte that is none.
    if (alternatives.empty()) alternatives.push_back({bytes({})});
    made = {Element::Kind::kRule, make(std::move(alternatives))};
  }
  character_rules_.emplace(characters, made);
  return made;
}

// S{2,4} becomes S S A with A ::= S B | nothing, B ::= S | nothing; S{2,} becomes S S A with A ::= S A |
// nothing.
void Builder::append_repeated(Sequence& sequence, Element what, std::uint32_t least, std::uint32_t most) {
  elements_ += least;
  sequence.insert(sequence.end(), least, what);
  if (most == kUnbounded) {
    const std::uint32_t rule = make({});
    define(rule, {{what, {Element::Kind::kRule, rule}}, {}});
    sequence.push_back({Element::Kind::kRule, rule});
    return;
  }
  Sequence rest;
  for (std::uint32_t i = least; i < most && !full(); ++i) {
    Sequence longer = {what};
    longer.insert(longer.end(), rest.begin(), rest.end());
    rest = {{Element::Kind::kRule, make({std::move(longer), {}})}};
  }
  sequence.insert(sequence.end(), rest.begin(), rest.end());
}

std::string Builder::undefined() const {
  for (const auto& [name, rule] : names_)
    if (rules_[rule].empty()) return name;
  return {};
}

Program Builder::lay_out(std::uint32_t root) const {
  Program program;
  program.root = root;
  program.sets = sets_;
  program.elements.reserve(elements_);
  for (const auto& alternatives : rules_) {
    program.rules.push_back(
        {static_cast<std::uint32_t>(program.starts.size()), static_cast<std::uint32_t>(alternatives.size())});
    for (const Sequence& sequence : alternatives) {
      program.starts.push_back(static_cast<std::uint32_t>(program.elements.size()));
      program.elements.insert(program.elements.end(), sequence.begin(), sequence.end());
      program.elements.emplace_back();
    }
  }
  sort_bytes_into_classes(program);
  return program;
}

}  // namespace braid::engine::grammar
