#pragma once
// One JSON object as a flat list of members, numbers as they were written.

#include <string>
#include <string_view>
#include <vector>

#include "braid/base/result.h"

namespace braid::ingest {

struct JsonMember {
  std::string key;   ///< "a", "a.b" for members of members, "a.0" for elements
  std::string text;  ///< as written; strings without quotes and escapes; null gives no member
  bool is_string = false;
};

/// At most `max_members`, 8 levels deep. Errors: kBadInput, kLimit.
Result<std::vector<JsonMember>> parse_json_line(std::string_view line, std::size_t max_members);

}  // namespace braid::ingest
