// Any bytes as a traceparent header: what is read is printed and read alike.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/openai/trace_context.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto context = braid::openai::parse_traceparent({reinterpret_cast<const char*>(data), size});
  if (!context) return 0;
  const auto again = braid::openai::parse_traceparent(braid::openai::print_traceparent(*context));
  if (!again || again->trace_id != context->trace_id || again->parent_id != context->parent_id ||
      again->sampled != context->sampled || again->random != context->random)
    std::abort();
  return 0;
}
