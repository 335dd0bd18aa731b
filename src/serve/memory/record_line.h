#pragma once
// A record as a line of an export.

#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "braid/retrieve/record.h"

namespace braid::serve {

/// Complete but for its number, which is its place; vectors as base64 of f32, least byte first.
std::string record_line(const retrieve::Record& record);
/// kBadInput: names the member that isn't as it must be.
Result<retrieve::Record> read_record_line(std::string_view line);

}  // namespace braid::serve
