#include "cli/help_format.h"

#include <algorithm>

namespace braid::serve {

std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const bool fits = column == 0 || column + 1 + end <= width;
    if (column > 0) out += fits ? ' ' : '\n';
    out += text.substr(0, end);
    column = (column > 0 && fits ? column + 1 : 0) + end;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

HelpFormat::HelpFormat() { column_width(26); }

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  return wrapped(CLI::Formatter::make_option_desc(option), kWidth - get_column_width());
}

}  // namespace braid::serve
