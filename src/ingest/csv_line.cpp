#include "csv_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace braid::ingest {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes one quoted field off the front of `line`, which stands behind the opening quote. False: no closing
/// quote.
bool take_quoted(std::string_view& line, std::string& field) {
  while (!line.empty()) {
    const char c = line.front();
    line.remove_prefix(1);
    if (c != '"') {
      field += c;
    } else if (!line.empty() && line.front() == '"') {
      field += '"';
      line.remove_prefix(1);
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> parse_csv_line(std::string_view line, char separator,
                                                std::size_t max_fields) {
  std::vector<std::string> fields;
  for (;;) {
    if (fields.size() >= max_fields)
      return fail(ErrorCode::kLimit, fmt::format("more than {} fields; split the log", max_fields));
    const std::size_t first = line.find_first_not_of(' ');
    std::string field;
    if (first != std::string_view::npos && line[first] == '"') {
      line.remove_prefix(first + 1);
      if (!take_quoted(line, field))
        return fail(ErrorCode::kBadInput,
                    "a quote isn't closed on its line; expected \"...\" with quotes inside doubled");
      const std::size_t end = std::min(line.find(separator), line.size());
      if (!trimmed(line.substr(0, end)).empty())
        return fail(ErrorCode::kBadInput, "text behind a closing quote; expected a separator");
      line.remove_prefix(end);
    } else {
      const std::size_t end = std::min(line.find(separator), line.size());
      field = trimmed(line.substr(0, end));
      line.remove_prefix(end);
    }
    fields.push_back(std::move(field));
    if (line.empty()) return fields;
    line.remove_prefix(1);
  }
}

char guess_separator(std::string_view line) {
  constexpr std::array kSeparators = {',', ';', '\t'};
  std::array<int, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : line) {
    quoted ^= c == '"';
    for (std::size_t i = 0; i < kSeparators.size(); ++i) counts[i] += !quoted && c == kSeparators[i];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                              counts.begin())];
}

}  // namespace braid::ingest
