#include "csv_line.h"

#include <fmt/format.h>

#include <algorithm>

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
  int semicolons = 0, tabs = 0, commas = 0, decimals = 0;
  bool quoted = false;
  const auto is_digit = [&](std::size_t at) {
    return at < line.size() && line[at] >= '0' && line[at] <= '9';
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    quoted ^= line[i] == '"';
    if (quoted) continue;
    semicolons += line[i] == ';';
    tabs += line[i] == '\t';
    if (line[i] != ',') continue;
    ++commas;
    decimals += is_digit(i - 1) && is_digit(i + 1);
  }
  // "0,5;20,1": beside another separator, commas inside numbers are decimal ones.
  if (semicolons + tabs > 0 && commas == decimals) commas = 0;
  if (commas >= std::max(semicolons, tabs)) return ',';
  return semicolons >= tabs ? ';' : '\t';
}

}  // namespace braid::ingest
