// Any bytes as a line of text or JSON; a row that comes out is one clean line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/ingest/text_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto row = braid::ingest::parse_text_line({reinterpret_cast<const char*>(data), size});
  if (!row) return row.error().message.empty() ? std::abort(), 0 : 0;
  if (!*row) return 0;
  const auto clean = braid::ingest::clean_text((*row)->text);
  if (!clean || clean->empty() || *clean != (*row)->text) std::abort();
  return 0;
}
