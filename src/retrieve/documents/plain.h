#pragma once
// Plain text and Markdown.

#include <string_view>

#include "documents/passages.h"

namespace braid::retrieve {

/// `page`: that it is of, 0: none; offsets count from the text's start.
void cut_plain(std::string_view text, bool markdown, int page, Passages& passages);

}  // namespace braid::retrieve
