// Any bytes, split anywhere, with any stop texts: the text shown is the same as for the bytes in one piece,
// and is valid UTF-8 without a stop text in it.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "braid/base/utf8.h"
#include "braid/decode/text_stream.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Takes up to `n` bytes off the front.
std::string_view cut(std::string_view& data, std::size_t n) {
  const std::string_view head = data.substr(0, n);
  data.remove_prefix(head.size());
  return head;
}

std::size_t number(std::string_view& data, std::size_t below) {
  const std::string_view byte = cut(data, 1);
  return byte.empty() ? 0 : static_cast<unsigned char>(byte[0]) % below;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view data(reinterpret_cast<const char*>(bytes), size);
  std::vector<std::string> stops(number(data, 4));
  for (std::string& stop : stops) stop = cut(data, number(data, 6));
  const std::size_t step = 1 + number(data, 5);

  braid::decode::TextStream whole(stops);
  std::string expected = whole.push(data);
  expected += whole.finish();

  braid::decode::TextStream split(stops);
  std::string shown;
  for (std::string_view rest = data; !rest.empty();) shown += split.push(cut(rest, step));
  shown += split.finish();

  require(shown == expected);
  require(split.stopped() == whole.stopped());
  require(braid::to_valid_utf8(shown) == shown);
  for (const std::string& stop : stops)
    require(stop.empty() || shown.find(braid::to_valid_utf8(stop)) == std::string::npos);
  return 0;
}
