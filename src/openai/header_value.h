#pragma once
// Values of HTTP and MIME headers.

#include <optional>
#include <string>
#include <string_view>

namespace braid::openai {

/// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// The parameter NAME of `value; NAME=token; NAME="quoted \" string"`; none if it isn't there. Names in any
/// case. Browsers write %22 for a quote and leave backslashes alone: only \" and \\ are escapes.
std::optional<std::string> header_parameter(std::string_view value, std::string_view name);

}  // namespace braid::openai
