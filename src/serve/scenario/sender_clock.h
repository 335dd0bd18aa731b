#pragma once
// A scripted source's own clock, and what its stamps are mapped to.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::serve {

struct ScriptedStream;

/// Shows `offset` at session time 0 and gains `ppm`; as a counter of so many bits at 90 kHz, or in ns.
struct SenderClockSpec {
  Nanoseconds offset{};
  double ppm = 0;
  int wrap_bits = 0;  ///< 0: ns
};

/// What happens to it.
struct SenderClockChange {
  SessionTime at;
  std::optional<Nanoseconds> set;  ///< it is set on by so much; none: it begins anew at 0
};

/// Reads one word of a source's `clock ...`, and what belongs to it; false: it is none. kBadInput.
Result<bool> clock_word(const std::vector<std::string>& words, std::size_t& next, SenderClockSpec& clock);

/// Gives the stream's packets the times that a SourceClock makes of their stamps and arrivals. They are in
/// order of arrival.
void map_stamps(ScriptedStream& stream);

/// What became of it, as an event of type "clock".
std::string clock_event(const ScriptedStream& stream);

}  // namespace braid::serve
