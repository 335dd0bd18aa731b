#pragma once
// Tables: CSV (RFC 4180; comma, semicolon or tab).

#include <string_view>

#include "documents/passages.h"

namespace braid::retrieve {

/// A first row without a number is the header; else columns are `column 1`, .... Empty cells and lines that
/// begin with # are left out. kLimit: too many columns, or a cell that doesn't end.
Status cut_table(std::string_view text, const DocumentOptions& options, Passages& passages);

}  // namespace braid::retrieve
