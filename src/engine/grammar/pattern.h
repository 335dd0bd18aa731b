#pragma once
// The "pattern" of a JSON schema, rewritten for llama-common's conversion, which takes a subset of regular
// expressions, and takes them for the bytes between the quotes: '.' would match a quote that ends the string.

#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::engine::grammar {

/// A pattern "^(...)$" of groups, alternatives, classes of \u escapes and repetitions, whose texts are the
/// JSON forms of texts that hold a match of `pattern` (ECMA-262 with the u flag): quotes and backslashes
/// written as JSON escapes, no raw control characters; other control characters than \b \f \n \r \t only
/// where nothing else is meant. kUnsupported: assertions other than ^ and $ at the ends of top alternatives,
/// back-references, \p; kBadInput: no regular expression, or one with a class that holds nothing; kLimit:
/// groups too deep, a repetition over Builder::kMaxRepeats. `pattern` is valid UTF-8. Linear; doesn't throw.
Result<std::string> json_pattern(std::string_view pattern);

}  // namespace braid::engine::grammar
