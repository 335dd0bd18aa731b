// Any text that a user may write to name a source.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "braid/ingest/source_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = braid::ingest::parse_source_spec(text);
  if (spec && (spec->name.empty() || spec->target.empty())) std::abort();
  if (!spec &&
      (spec.error().message.empty() || braid::to_valid_utf8(spec.error().message) != spec.error().message))
    std::abort();
  return 0;
}
