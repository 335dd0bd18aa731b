#pragma once
// How a model is asked for the words of speech.

#include <string>
#include <string_view>

namespace braid::serve {

/// What the default model was trained to be asked.
inline constexpr const char* kSpokenQuestion = "What did the speaker say?";
inline constexpr int kSpokenTokens = 96;  ///< longest answer; six seconds of speech are some thirty

/// The words of an answer, without how the default model begins it.
inline std::string spoken_words(std::string_view answer) {
  constexpr std::string_view kBegins = "The speaker said:";
  if (answer.starts_with(kBegins)) answer.remove_prefix(kBegins.size());
  while (!answer.empty() && answer.front() == ' ') answer.remove_prefix(1);
  return std::string(answer);
}

}  // namespace braid::serve
