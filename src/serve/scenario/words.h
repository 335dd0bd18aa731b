#pragma once
// Lines of a scenario as words.

#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::serve {

/// Splits at spaces and tabs outside double quotes; '#' at the start of a word ends the line. Quotes and
/// escapes stay in the words. kBadInput: an open quote.
Result<std::vector<std::string>> split_words(std::string_view line);

/// What a word says: without its quotes, with \" \\ and \n resolved, if it is quoted. kBadInput: an unknown
/// escape.
Result<std::string> unquote(std::string_view word);

bool is_quoted(std::string_view word);

/// A decimal number. kBadInput otherwise.
Result<double> parse_number(std::string_view word);

/// A number of things, 0 .. most. kBadInput otherwise.
Result<int> parse_count(std::string_view word, int most);

}  // namespace braid::serve
