#include "query_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace braid::retrieve {

namespace {

constexpr std::array kFunctionWords = std::to_array<std::string_view>(
    {"a",     "an",    "and",  "are",   "as",   "at",   "be",    "been", "but", "by",   "did",  "do",
     "does",  "for",   "from", "had",   "has",  "have", "he",    "her",  "his", "how",  "i",    "in",
     "is",    "it",    "its",  "me",    "my",   "of",   "on",    "or",   "our", "she",  "that", "the",
     "their", "them",  "then", "there", "they", "this", "to",    "was",  "we",  "were", "what", "when",
     "where", "which", "who",  "why",   "will", "with", "would", "you",  "your"});

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

bool is_function_word(const std::string& word) {
  return std::find(kFunctionWords.begin(), kFunctionWords.end(), word) != kFunctionWords.end();
}

/// Each word in lower case, in the order they come.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::string word;
  for (const char c : text) {
    if (is_word_byte(c)) {
      word += static_cast<char>(static_cast<unsigned char>(c) < 0x80 ? std::tolower(c) : c);
    } else if (!word.empty()) {
      take(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) take(std::move(word));
}

}  // namespace

std::vector<std::string> query_words(std::string_view text) {
  std::vector<std::string> words;
  std::vector<std::string> function_words;
  for_each_word(text, [&](std::string word) {
    auto& list = is_function_word(word) ? function_words : words;
    if (list.size() < kMaxQueryWords && std::find(list.begin(), list.end(), word) == list.end())
      list.push_back(std::move(word));
  });
  return words.empty() ? function_words : words;
}

std::vector<std::string> all_words(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string word) {
    if (!is_function_word(word)) words.push_back(std::move(word));
  });
  return words;
}

}  // namespace braid::retrieve
