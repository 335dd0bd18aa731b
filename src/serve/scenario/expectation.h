#pragma once
// What a scenario expects of the events that came out.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "braid/base/result.h"

namespace braid::serve {

/// One field of an event against a value: `tokens.answer<20`. `~` holds where the text contains the value.
struct Condition {
  enum class Op { kEqual, kNot, kLess, kAtMost, kMore, kAtLeast, kContains };
  std::string path;  // field names joined by dots
  Op op = Op::kEqual;
  std::variant<std::nullptr_t, bool, double, std::string> value;
};

/// So many events of a type, as JSON of docs/json.md, fulfil all conditions.
struct Expectation {
  int line = 0;              // in the scenario
  std::string said;          // the line's text
  std::optional<int> count;  // none: at least one
  std::string type;
  std::vector<Condition> conditions;
};

/// The words after `expect`. kBadInput: not understood.
Result<Expectation> parse_expectation(const std::vector<std::string>& words);

/// "" if it holds, else why not. `events`: JSON objects, one each.
std::string check(const Expectation& expectation, const std::vector<std::string>& events);

}  // namespace braid::serve
