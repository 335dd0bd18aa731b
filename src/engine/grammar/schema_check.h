#pragma once
// Whether a JSON schema may be turned into a grammar: the conversion is llama-common's, which recurses,
// copies and compares without bounds.

#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::engine::grammar {

/// What a schema may take beside ChatBounds::kSchemaBytes.
struct SchemaBounds {
  static constexpr int kDepth = 64;                   ///< JSON levels
  static constexpr std::size_t kNameBytes = 256;      ///< of a property, or a reference
  static constexpr std::size_t kPatternBytes = 1024;  ///< of a pattern
  static constexpr std::size_t kReferences = 64;      ///< different ones
  static constexpr double kRepeats = 8192;            ///< minItems, maxItems, minLength, maxLength
  static constexpr double kNumber = 1e15;             ///< minimum, maximum, exclusive or not; as far below 0
  static constexpr double kCost = 40'000;             ///< of all schemas of a request
};

/// The schema, written anew: one member of each name, patterns as json_pattern() gives them. kBadInput: not
/// JSON, not an object, a reference that leads out of it, nowhere or in a circle; kLimit: a bound; or what
/// json_pattern() says. `true` and
/// `{}` are written as a schema that says "any value". `cost_left`: estimated microseconds that conversions
/// may take, kCost at first; this one's are taken from it. Takes milliseconds at most; doesn't throw; any
/// thread.
Result<std::string> check_schema(std::string_view text, double& cost_left);

}  // namespace braid::engine::grammar
