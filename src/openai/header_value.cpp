#include "header_value.h"

#include <algorithm>

#include "ascii.h"

namespace braid::openai {

namespace {

// The value at the front of `rest`, which is moved behind it.
std::string take_value(std::string_view& rest) {
  std::string value;
  if (rest.empty() || rest[0] != '"') {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = trimmed(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    const bool escape =
        rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\');
    if (escape) ++at;
    value += rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return value;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::optional<std::string> header_parameter(std::string_view value, std::string_view name) {
  std::string_view rest = value.substr(std::min(value.find(';'), value.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the semicolon
    const std::size_t stop = std::min(rest.find_first_of("=;"), rest.size());
    const std::string_view found = trimmed(rest.substr(0, stop));
    rest.remove_prefix(stop);
    if (rest.empty() || rest[0] == ';') continue;
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string text = take_value(rest);
    if (equal_ignoring_case(found, name)) return text;
    rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  }
  return std::nullopt;
}

}  // namespace braid::openai
