#pragma once
// Strings as JSON writes them (RFC 8259, section 7).

#include <string>
#include <string_view>

namespace braid {

/// Appends `text` in quotes, escaped; bytes that aren't UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

/// The same as a string of its own.
std::string quoted(std::string_view text);

}  // namespace braid
