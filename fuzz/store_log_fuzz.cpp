// Any bytes as a file of a log: records lie within it, in order, and what is cut off is only its end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "braid/store/record_log.h"
#include "segment.h"

namespace {

void look(std::string_view file) {
  const auto scan = braid::store::scan_segment(file);
  if (!scan) return;
  if (scan->whole > file.size()) std::abort();
  std::uint64_t last = 0;
  for (const auto& record : scan->records) {
    const std::uint64_t at = record.offset - scan->base;
    if (at < last || at + 16 + record.bytes.size() > scan->whole) std::abort();
    last = at + 16 + record.bytes.size();
  }
  const auto again = braid::store::scan_segment(file.substr(0, scan->whole));
  if (!again || again->whole != scan->whole || again->records.size() != scan->records.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using braid::store::bytes_of;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  look(bytes);
  // Behind headers that fit, so that more is looked at than those.
  std::string file(bytes_of(braid::store::segment_header(size)));
  const std::size_t half = size / 2;
  file += bytes_of(braid::store::record_header(1, bytes.substr(0, half)));
  file += bytes.substr(0, half);
  const std::size_t whole = file.size();
  file += bytes.substr(half);
  const auto scan = braid::store::scan_segment(file);
  if (!scan || scan->records.empty() || scan->whole < whole) std::abort();
  look(file);
  return 0;
}
