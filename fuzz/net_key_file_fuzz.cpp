// Any bytes as a keys file; no message shows what it held.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "key_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto keys = braid::net::parse_keys({reinterpret_cast<const char*>(data), size});
  if (!keys) return keys.error().message.size() > 200 ? std::abort(), 0 : 0;
  for (const auto& key : *keys)
    if (key.name.empty()) std::abort();
  return 0;
}
