#include "asked_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace braid::retrieve {

namespace {

constexpr std::size_t kMaxWords = 512;
constexpr Nanoseconds kDay = std::chrono::hours(24);

std::optional<std::int64_t> number_of(const std::string& word) {
  constexpr std::array kNumbers = std::to_array<std::string_view>(
      {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"});
  for (std::size_t i = 0; i < kNumbers.size(); ++i)
    if (word == kNumbers[i]) return static_cast<std::int64_t>(i);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<Nanoseconds> unit_of(std::string_view word) {
  using std::chrono::hours;
  if (is_in(word, {"ms", "millisecond", "milliseconds"})) return Milliseconds(1);
  if (is_in(word, {"s", "sec", "secs", "second", "seconds"})) return std::chrono::seconds(1);
  if (is_in(word, {"min", "mins", "minute", "minutes"})) return std::chrono::minutes(1);
  if (is_in(word, {"h", "hour", "hours"})) return hours(1);
  if (is_in(word, {"d", "day", "days"})) return kDay;
  if (is_in(word, {"week", "weeks"})) return 7 * kDay;
  return std::nullopt;
}

}  // namespace

bool is_in(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<Word> words_of(std::string_view question) {
  constexpr std::string_view kClinging = "\"'()[]{},;.!?:";
  std::vector<Word> words;
  std::size_t at = 0;
  while (at < question.size() && words.size() < kMaxWords) {
    const std::size_t begin = question.find_first_not_of(" \t\r\n", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(question.find_first_of(" \t\r\n", begin), question.size());
    std::string_view bare = question.substr(begin, end - begin);
    while (!bare.empty() && kClinging.find(bare.front()) != std::string_view::npos) bare.remove_prefix(1);
    while (!bare.empty() && kClinging.find(bare.back()) != std::string_view::npos) bare.remove_suffix(1);
    std::string lower(bare);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    words.push_back({std::move(lower), std::string(bare), begin, end});
    at = end;
  }
  return words;
}

std::optional<Span> span_at(const std::vector<Word>& words, std::size_t at) {
  if (at >= words.size()) return std::nullopt;
  const std::string& word = words[at].text;
  std::optional<std::int64_t> number = number_of(word);
  std::optional<Nanoseconds> unit;
  std::size_t used = 2;
  if (number) {
    if (at + 1 < words.size()) unit = unit_of(words[at + 1].text);
  } else {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    number = digits > 0 ? number_of(word.substr(0, digits)) : 1;
    unit = unit_of(std::string_view(word).substr(digits));
    used = 1;
  }
  if (!number || !unit || *number > 36'500 * kDay / *unit) return std::nullopt;
  return Span{*number * *unit, *unit, used};
}

}  // namespace braid::retrieve
