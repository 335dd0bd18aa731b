#include "braid/base/milliseconds_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace braid {

std::string milliseconds_text(Nanoseconds span) {
  const bool negative = span.count() < 0;
  const auto ns = static_cast<std::uint64_t>(negative ? -span.count() : span.count());
  std::string text = fmt::format("{}{}.{:06}", negative ? "-" : "", ns / 1'000'000, ns % 1'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace braid
