#include "scenario/words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace braid::serve {

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool space = !in_quotes && (c == ' ' || c == '\t' || c == '\r');
    if (!in_quotes && word.empty() && c == '#') break;
    if (space) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
      continue;
    }
    word += c;
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes && c == '\\' && i + 1 < line.size()) word += line[++i];
  }
  if (in_quotes) return fail(ErrorCode::kBadInput, "a quote is not closed on its line");
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool is_quoted(std::string_view word) {
  return word.size() >= 2 && word.front() == '"' && word.back() == '"';
}

Result<std::string> unquote(std::string_view word) {
  if (!is_quoted(word)) return std::string(word);
  std::string text;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] != '\\') {
      text += word[i];
      continue;
    }
    const char escaped = word[++i];
    if (escaped != '"' && escaped != '\\' && escaped != 'n')
      return fail(ErrorCode::kBadInput, fmt::format("\\{} in {}; there are \\\" \\\\ \\n", escaped, word));
    text += escaped == 'n' ? '\n' : escaped;
  }
  return text;
}

Result<double> parse_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return fail(ErrorCode::kBadInput, fmt::format("'{}' is not a number", word));
  return value;
}

Result<int> parse_count(std::string_view word, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > most)
    return fail(ErrorCode::kBadInput, fmt::format("'{}' is not a whole number from 0 to {}", word, most));
  return value;
}

}  // namespace braid::serve
