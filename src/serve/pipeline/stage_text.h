#pragma once
// Texts of stages, with what they are about put in.

#include <optional>
#include <string>
#include <string_view>

namespace braid::serve {

/// What stands for a {name} in a text.
struct StageWords {
  std::string time;  ///< ISO 8601
  std::string stage, source, channel, value, text, answer;
};

/// Other braces stay as they are.
std::string fill_in(std::string_view text, const StageWords& words);
/// The first {name}, of small letters, that isn't one of them.
std::optional<std::string> unknown_placeholder(std::string_view text);
/// "{time}, {stage}, …".
std::string placeholder_names();

/// Whether `phrase` is among the words of `text`, in either case; not inside of a word.
bool has_phrase(std::string_view text, std::string_view phrase);
/// "12.5" or "12,5".
std::optional<double> number_in(std::string_view text);

}  // namespace braid::serve
