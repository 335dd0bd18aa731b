// Any bytes as a time: a range that comes out must be one, an error must be fit to be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "braid/base/utf8.h"
#include "braid/calendar/session_range.h"

namespace {

using braid::calendar::Edge;

void check(const braid::calendar::UtcRange& range) {
  if (range.from >= range.to) std::abort();
  if ((range.from_edge == Edge::kGiven) == (range.from == braid::UtcTime::min())) std::abort();
  if ((range.to_edge == Edge::kGiven) == (range.to == braid::UtcTime::max())) std::abort();
  // What is printed is read back as the same.
  if (range.from_edge != Edge::kGiven) return;
  const auto again = braid::calendar::parse_time_range(braid::calendar::utc_text(range.from));
  if (again ? again->from != range.from : again.error().code != braid::ErrorCode::kLimit) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const braid::calendar::Zone kBerlin =
      braid::calendar::Zone::parse("Europe/Berlin").value_or(braid::calendar::Zone{});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const braid::UtcTime now(braid::Nanoseconds(1'795'000'000'123'456'789));
  for (const auto& asker : {braid::calendar::Asker{}, braid::calendar::Asker{.zone = kBerlin, .now = now}}) {
    const auto range = braid::calendar::parse_session_range(text, now, asker);
    if (range)
      check(range->utc);
    else if (range.error().message.empty() ||
             braid::to_valid_utf8(range.error().message) != range.error().message)
      std::abort();
  }
  return 0;
}
