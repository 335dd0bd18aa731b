// Any bytes as a session's snapshot, and as embeddings of its log. What is read reads the same when it was
// written again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "durable/run_bytes.h"
#include "durable/saved_session.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto session = braid::serve::parse_saved_session(bytes)) {
    const std::string printed = braid::serve::print_saved_session(*session);
    const auto again = braid::serve::parse_saved_session(printed);
    if (!again || braid::serve::print_saved_session(*again) != printed) std::abort();
  }
  if (const auto run = braid::serve::parse_run(bytes))
    if (braid::serve::to_bytes(*run) != bytes) std::abort();
  return 0;
}
