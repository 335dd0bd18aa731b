#pragma once
// Stamps and arrivals as a file of JSON lines, played into clocks.

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/serve/session_clocks.h"

namespace braid::serve {

/// A packet: when it came, and what it was mapped to.
struct ClockPoint {
  double arrival_s = 0;  ///< session time
  double delay_ms = 0;   ///< arrival less stamp, over the first packet's
  double mapped_ms = 0;  ///< mapped time less stamp, over the same
  double bound_ms = 0;
};

/// What came of a log. Points are thinned, so that memory is bounded.
struct ClockLog {
  std::vector<ClockState> clocks;                         ///< by name
  std::map<std::string, std::vector<ClockPoint>> points;  ///< by source
  std::uint64_t lines = 0;
};

/// docs/time.md has the format. kBadInput names the line; kLimit: more than SessionClocks::kMost sources.
/// Reads to the end; blocks as `in` does.
Result<ClockLog> read_clock_log(std::istream& in);
/// One plot a source, over time: each packet's delay, what it was mapped to, and the bound around that.
std::string clock_svg(const ClockLog& log);

}  // namespace braid::serve
