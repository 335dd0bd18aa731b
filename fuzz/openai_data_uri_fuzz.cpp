// Any bytes as base64 and as a data URI. What decodes encodes to the same text, line breaks aside.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "braid/openai/base64.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMax = 3000;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto bytes = braid::openai::decode_base64(text, kMax);
  if (bytes) {
    std::string line(text);
    line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n'; }),
               line.end());
    require(bytes->size() <= kMax && braid::openai::encode_base64(*bytes) == line);
  }
  const std::string encoded = braid::openai::encode_base64(text);
  const auto back = braid::openai::decode_base64(encoded, size);
  require(back && *back == text);
  const auto uri = braid::openai::parse_data_uri(text, kMax);
  if (uri)
    require(uri->bytes.size() <= kMax && uri->mime.find('/') != std::string::npos);
  else
    require(!uri.error().message.empty());
  return 0;
}
