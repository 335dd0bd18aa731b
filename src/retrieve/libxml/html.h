#pragma once
// HTML to the blocks of text that a reader sees.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::retrieve {

struct HtmlBlock {
  std::string text;         ///< not blank
  bool is_heading = false;  ///< or the page's title
  std::int64_t offset = 0;  ///< bytes to its first character, or to the tag before it
};

/// Paragraphs, headings, list items and rows of tables (cells with ` | ` between them), in order, to `take`;
/// scripts and styles are left out. Valid UTF-8 without NUL, as is what comes. kLimit: nested too deep.
Status read_html(std::string_view text, const std::function<void(const HtmlBlock&)>& take);

/// The encoding that the page says it is in, in lower case; empty: it says none.
std::string declared_charset(std::string_view bytes);

}  // namespace braid::retrieve
