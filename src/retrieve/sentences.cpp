#include "sentences.h"

#include <algorithm>
#include <array>

#include "query_words.h"

namespace braid::retrieve {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kLeastStem = 3;  // bytes

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Where a text is cut that is to have kMaxSentence bytes: behind the last blank, else between characters.
std::size_t cut_of(std::string_view text) {
  const std::size_t blank = text.find_last_of(kBlanks, kMaxSentence - 1);
  if (blank != std::string_view::npos && blank > 0) return blank;
  std::size_t cut = kMaxSentence;
  while (cut > 1 && continues_character(text[cut])) --cut;
  return cut;
}

void append(std::string_view text, std::vector<std::string_view>& sentences) {
  text = trimmed(text);
  while (text.size() > kMaxSentence) {
    const std::size_t cut = cut_of(text);
    sentences.push_back(trimmed(text.substr(0, cut)));
    text = trimmed(text.substr(cut));
  }
  if (!text.empty()) sentences.push_back(text);
}

bool ends_sentence(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return true;
  const bool mark = text[at] == '.' || text[at] == '!' || text[at] == '?';
  return mark && at + 1 < text.size() && is_blank(text[at + 1]);
}

bool is_number(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string stem(std::string word) {
  if (is_number(word)) return word;
  constexpr std::array<std::string_view, 5> kEndings = {"ing", "ed", "es", "s", "e"};
  for (const std::string_view ending : kEndings) {
    if (!word.ends_with(ending) || word.size() < ending.size() + kLeastStem) continue;
    if (ending == "s" && word.ends_with("ss")) break;
    word.erase(word.size() - ending.size());
    break;
  }
  // stopped, stopping: stop
  if (word.size() > kLeastStem && word.back() == word[word.size() - 2] && word.back() != 's') word.pop_back();
  return word;
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!ends_sentence(text, at)) continue;
    append(text.substr(begin, at + 1 - begin), sentences);
    begin = at + 1;
  }
  append(text.substr(begin), sentences);
  return sentences;
}

std::vector<std::string> stems_of(std::string_view text) {
  std::vector<std::string> stems = all_words(text);
  for (std::string& word : stems) word = stem(std::move(word));
  return stems;
}

}  // namespace braid::retrieve
