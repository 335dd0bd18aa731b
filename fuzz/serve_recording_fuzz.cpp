// Any bytes as a recording's file, and behind a kind as one of its events. What is read is written as it was.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "record/recording.h"

namespace {

using namespace braid::serve;

void check(std::uint32_t type, std::string_view bytes) {
  const auto event = parse_event(type, bytes);
  if (event && (event->index() != type || to_bytes(*event) != bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(Recording::over(std::string(bytes)));
  if (size == 0) return 0;
  check(data[0] % std::variant_size_v<RecordedEvent>, bytes.substr(1));
  return 0;
}
