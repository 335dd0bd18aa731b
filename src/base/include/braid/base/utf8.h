#pragma once
// UTF-8 made valid (The Unicode Standard, chapter 3.9: well-formed byte sequences, and U+FFFD for maximal
// subparts).

#include <string>
#include <string_view>

namespace braid {

/// Moves the characters that are complete from `bytes` to `text`; what can't be one becomes U+FFFD. Leaves in
/// `bytes` at most the 3 bytes of a character that may still be completed.
void take_characters(std::string& bytes, std::string& text);

/// All of `bytes` as valid UTF-8; an incomplete character at the end becomes U+FFFD.
std::string to_valid_utf8(std::string_view bytes);

/// For a terminal or a log: valid UTF-8 on one line. Each byte of a control character (C0, DEL, C1) and each
/// that is of no character becomes \xNN, so that names which others chose begin no line and colour nothing.
std::string printable(std::string_view text);

}  // namespace braid
