// Any bytes as a JSON schema: what passes the check must be a schema that passes it again, in bounded time.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "grammar/pattern.h"
#include "grammar/schema_check.h"

namespace {

void check_error(const braid::Error& error) {
  if (error.message.empty() || braid::to_valid_utf8(error.message) != error.message) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::engine::grammar;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  double cost_left = SchemaBounds::kCost;
  const auto checked = check_schema(text, cost_left);
  if (!checked) {
    check_error(checked.error());
  } else {
    boost::json::error_code bad;
    boost::json::parse(*checked, bad);
    if (bad || cost_left < 0) std::abort();
  }

  const auto pattern = json_pattern(braid::to_valid_utf8(text.substr(0, SchemaBounds::kPatternBytes)));
  if (!pattern) {
    check_error(pattern.error());
    return 0;
  }
  // Nothing but what llama-common's conversion is known to take.
  if (!pattern->starts_with("^(") || !pattern->ends_with(")$")) std::abort();
  if (pattern->find_first_not_of("^$()[]{}?:*+|,-\\Uu0123456789ABCDEF") != std::string::npos) std::abort();
  return 0;
}
