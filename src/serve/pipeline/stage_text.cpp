#include "pipeline/stage_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace braid::serve {

namespace {

using Word = std::pair<std::string_view, std::string StageWords::*>;
constexpr std::array<Word, 7> kWords = {{{"{time}", &StageWords::time},
                                         {"{stage}", &StageWords::stage},
                                         {"{source}", &StageWords::source},
                                         {"{channel}", &StageWords::channel},
                                         {"{value}", &StageWords::value},
                                         {"{text}", &StageWords::text},
                                         {"{answer}", &StageWords::answer}}};

/// The placeholder that `text` begins with: "{name}".
std::string_view placeholder_at(std::string_view text) {
  const auto end = text.find('}');
  if (text.empty() || text.front() != '{' || end == std::string_view::npos || end < 2) return {};
  const std::string_view name = text.substr(1, end - 1);
  const bool small = std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return small ? text.substr(0, end + 1) : std::string_view{};
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::string fill_in(std::string_view text, const StageWords& words) {
  std::string filled;
  while (!text.empty()) {
    const std::string_view name = placeholder_at(text);
    const auto* word =
        std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.first == name; });
    if (!name.empty() && word != kWords.end()) {
      filled += words.*word->second;
      text.remove_prefix(name.size());
    } else {
      filled += text.front();
      text.remove_prefix(1);
    }
  }
  return filled;
}

std::optional<std::string> unknown_placeholder(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::string_view name = placeholder_at(text);
    if (name.empty()) continue;
    if (std::none_of(kWords.begin(), kWords.end(), [&](const Word& w) { return w.first == name; }))
      return std::string(name);
  }
  return std::nullopt;
}

std::string placeholder_names() {
  std::array<std::string_view, kWords.size()> names;
  std::transform(kWords.begin(), kWords.end(), names.begin(), [](const Word& w) { return w.first; });
  return fmt::format("{}", fmt::join(names, ", "));
}

bool has_phrase(std::string_view text, std::string_view phrase) {
  if (phrase.empty()) return false;
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (auto from = text.begin(); from != text.end(); ++from) {
    from = std::search(from, text.end(), phrase.begin(), phrase.end(), same);
    if (from == text.end()) return false;
    const auto to = from + static_cast<std::ptrdiff_t>(phrase.size());
    const bool begins = from == text.begin() || !in_word(*(from - 1)) || !in_word(phrase.front());
    const bool ends = to == text.end() || !in_word(*to) || !in_word(phrase.back());
    if (begins && ends) return true;
  }
  return false;
}

std::optional<double> number_in(std::string_view text) {
  std::string plain(text);
  if (plain.find('.') == std::string::npos) std::replace(plain.begin(), plain.end(), ',', '.');
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0;
  const char* const end = plain.data() + plain.size();
  const auto [read, error] = std::from_chars(plain.data(), end, value);
  if (error != std::errc() || read != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace braid::serve
