#pragma once
// A source that plays prepared packets, for scenarios, replays and tests.

#include <functional>
#include <memory>
#include <vector>

#include "braid/ingest/source.h"

namespace braid::ingest {

/// A packet and when it reaches us, as time since the session's start.
struct ScriptedPacket {
  Nanoseconds arrival{};
  Packet packet;
};

struct ScriptedOptions {
  Nanoseconds capture_delay{};  ///< added to each arrival: shows in kCapture
  Nanoseconds
      ingest_delay{};  ///< slept before each packet is sent, Bounds and Damage aside: shows in kIngest
  /// A Bound follows each packet (its end time), and an endless one for each stream comes last.
  bool bounds = true;
  std::function<SteadyTime()> session_start = {};  ///< none: the moment run() begins
};

/// Delivers each packet at its arrival on the clock, in the order given; one that is due while another is
/// handled comes right after it. Sets the packets' source and trace: kCapture from session start + the
/// packet's end time (or its arrival without delay, if that is earlier), kIngest from its arrival.
std::unique_ptr<Source> make_scripted_source(SourceInfo info, std::vector<ScriptedPacket> packets,
                                             ScriptedOptions options, Clock& clock);

}  // namespace braid::ingest
