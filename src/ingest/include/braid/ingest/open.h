#pragma once
// From a source's description to a Source.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/ingest/source.h"
#include "braid/ingest/source_spec.h"
#include "braid/ingest/stamp_clock.h"

namespace braid::ingest {

/// What an input may be, asked before it is decoded.
struct InputLimits {
  int max_side = 8192;                 ///< px of a picture
  std::int64_t max_pixels = 64 << 20;  ///< width * height
  int max_streams = 64;                ///< in one container
  Nanoseconds max_duration{};          ///< a longer file is refused; one that tells no length is read so far;
                                       ///< 0: any length
  std::int64_t max_unpacked_bytes = 640 << 20;  ///< a picture, a packet or an index, unpacked
  std::int64_t max_probe_bytes = 5 << 20;       ///< read to tell what a file is and holds
};

/// Decoding in a process that can do nothing else: files and pipes that hold media or subtitles. What FFmpeg
/// fetches by itself (HTTP, RTSP, devices) and our own readers of logs and text stay in this one.
struct Isolation {
  bool on = false;          ///< unless a source's own `isolate` says otherwise
  std::string worker = {};  ///< the program; empty: braid-ingest-worker beside this one or in ../lib/braid
  std::int64_t memory_bytes = std::int64_t{4} << 30;  ///< of addresses, for one input; 0: any
  Nanoseconds computing{};                            ///< processor time for one input; 0: any
  Nanoseconds patience = std::chrono::seconds(30);    ///< processor time without a sign of life; 0: any
};

struct Handed;

struct IngestOptions {
  double fps = 2.0;      ///< frames a second of session time, on a grid from 0; at most max_fps
  double max_fps = 4.0;  ///< frames a second with scene changes; equal to fps: no extra frames
  int max_frame_side =
      1280;               ///< px; the longer side is scaled down to it, never up. 0: as large as the input
  bool realtime = false;  ///< packets are let out when their session time has come; else as fast as accepted
  /// When session time 0 is on the clock; asked once, when run() begins. None: the moment run() begins.
  std::function<SteadyTime()> session_start = {};
  std::size_t frame_slots = 24;  ///< frames that all later stages together may hold of one source
  std::optional<std::int64_t> epoch_us = {};  ///< as SourceSpec::epoch_us, for sources that don't say
  InputLimits limits = {};
  MakeStampClock clocks = {};  ///< for live sources; none: their first packet's arrival counts
  std::function<std::int64_t()> unix_us =
      {};  ///< the time, for sources whose wall clock is right; none: unused
  Nanoseconds network_timeout = std::chrono::seconds(10);  ///< a peer that is silent for so long is gone
  /// A pipe whose writer is silent for so long while it is being opened is given up; none: it is waited for.
  std::optional<Nanoseconds> pipe_timeout = {};
  /// Any thread sets it: what is being opened from the network or a pipe then fails soon, with kCancelled.
  std::shared_ptr<const std::atomic<bool>> give_up = {};
  Isolation isolation = {};
  std::shared_ptr<const Handed> handed = {};  ///< set in the processes that decode, alone
};

/// Starts what workers are started from, which takes some tens of ms; else the first isolated source does.
/// kResource: the program isn't there or can't be started. Nothing where isolation is off.
Status prepare_isolation(const Isolation& isolation);

/// Opens and probes; blocks for as long as that takes, at most about `network_timeout` for a silent peer.
/// Errors: kNotFound (no such file, device or address), kBadInput (empty, garbage, cut before its index, a
/// folder), kUnsupported (no decoder, a playlist), kLimit (too large, too many streams), kUsage (no such
/// stream), kCancelled. Isolated: kResource (no process to decode it), and where that one crashes, breaks its
/// bounds or is killed, kBadInput, kLimit or kResource, here or from run(): it costs this source alone.
///
/// Session times of files: the container's, minus the file's one origin (the earliest start of the streams
/// used; a negative start of sound is codec priming and counts as 0). Of live sources: by their clock
/// (`clocks`), else first arrival, then the container's differences. Of logs: as written, or from the first
/// row (or `epoch`) where they are absolute.
///
/// Traces: kCapture from when the packet could have been had (realtime and live: session start + its time;
/// else when its reading began), kIngest from when decoding began.
Result<std::unique_ptr<Source>> open_source(const SourceSpec& spec, const IngestOptions& options,
                                            Clock& clock);

}  // namespace braid::ingest
