#pragma once
// The text of PDFs.

#include <string>
#include <string_view>

#include "braid/base/result.h"

namespace braid::retrieve {

/// Pages, a form feed behind each; up to kMaxPages + 1. poppler's pdftotext reads it in a process of its own
/// with bounded memory, output and time, so that what a file breaks is that process alone. Blocks for a
/// minute at most. Errors: as cut_document().
Result<std::string> pdf_text(std::string_view pdf);

}  // namespace braid::retrieve
