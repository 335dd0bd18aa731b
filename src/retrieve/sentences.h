#pragma once
// Texts in sentences, and sentences in words.

#include <string>
#include <string_view>
#include <vector>

namespace braid::retrieve {

inline constexpr std::size_t kMaxSentence = 400;  ///< bytes; a longer one is cut between words

/// Cut behind . ! ? where a blank follows, and at line ends; without the blanks around them, none of them
/// empty. Views into the text, in order. Whole characters of UTF-8. Pure.
std::vector<std::string_view> sentences_of(std::string_view text);

/// Lower case, without the endings of English plurals and verbs, function words left out. Pure.
std::vector<std::string> stems_of(std::string_view text);

}  // namespace braid::retrieve
