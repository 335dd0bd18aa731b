#pragma once
// Help that fits a terminal.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace braid::serve {

/// Breaks lines at spaces so that none is wider than `width` characters, unless one word is. Line ends stay.
std::string wrapped(std::string_view text, std::size_t width);

/// CLI11's help in lines of at most 100 characters.
class HelpFormat final : public CLI::Formatter {
 public:
  static constexpr std::size_t kWidth = 100;
  HelpFormat();
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace braid::serve
