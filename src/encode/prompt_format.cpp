#include "braid/encode/prompt_format.h"

#include <fmt/format.h>

namespace braid::encode {

std::string time_text(SessionTime at) { return fmt::format("[{:.1f}s]", to_seconds(at)); }

std::string span_text(SessionTime start, SessionTime end) {
  return fmt::format("[{:.1f}-{:.1f}s]", to_seconds(start), to_seconds(end));
}

std::string reading_text(const std::string& source, const Reading& reading) {
  std::string text = source;
  for (const auto& [channel, value] : reading.values) text += fmt::format(" {}={}", channel, value);
  return text;
}

}  // namespace braid::encode
