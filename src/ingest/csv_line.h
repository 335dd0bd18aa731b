#pragma once
// One line of CSV to fields.

#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::ingest {

/// Fields without outer spaces; RFC 4180 quotes, doubled inside. A field can't hold a line end. Errors:
/// kBadInput, kLimit.
Result<std::vector<std::string>> parse_csv_line(std::string_view line, char separator,
                                                std::size_t max_fields);

/// Which of comma, semicolon and tab the line holds most of, outside quotes; comma where it holds none.
char guess_separator(std::string_view line);

}  // namespace braid::ingest
