// Any bytes as the lines of a sensor log; rows that come out must keep their promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "braid/ingest/sensor_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  braid::ingest::SensorLogParser parser;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto row = parser.parse(text.substr(0, end));
    if (!row &&
        (row.error().message.empty() || braid::to_valid_utf8(row.error().message) != row.error().message))
      std::abort();
    if (row && *row) {
      const auto& values = (*row)->values;
      if (values.empty() || values.size() > braid::ingest::SensorLogParser::kMaxChannels || !(*row)->start)
        std::abort();
      // A number may be too large for any unit but the finest.
      if (!braid::ingest::log_time(*(*row)->start, braid::ingest::TimeUnit::kNanoseconds)) std::abort();
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return 0;
}
