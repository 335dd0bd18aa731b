// Any bytes may be given as a scenario: they are parsed or refused with a sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scenario = braid::serve::parse_scenario({reinterpret_cast<const char*>(data), size});
  if (!scenario && scenario.error().message.empty()) std::abort();
  return 0;
}
