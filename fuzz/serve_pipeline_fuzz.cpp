// A file of stages: read or refused in one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/serve/pipeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = braid::serve::parse_pipeline(text, "p");
  if (plan && braid::serve::find_fault(*plan)) std::abort();
  if (!plan && plan.error().message.empty()) std::abort();
  return 0;
}
