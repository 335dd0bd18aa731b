#pragma once
// What the user wrote to name a source, taken apart.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::ingest {

/// What a source holds. Wire names: auto, media, video, audio, subtitle, text, sensor.
enum class SourceKind : std::uint8_t {
  kAuto,      ///< guessed from the name's ending, then from the first bytes
  kMedia,     ///< pictures and sound, whichever there is
  kVideo,     ///< pictures alone
  kAudio,     ///< sound alone
  kSubtitle,  ///< .srt, .vtt, .ass
  kText,      ///< lines of text, or JSON lines with a time and "text"
  kSensor,    ///< CSV or JSON lines with a time and channels
};
const char* to_string(SourceKind kind);

/// The unit of a log's time column. Wire names: auto, ns, us, ms, s.
enum class TimeUnit : std::uint8_t {
  kAuto,  ///< by the column's name; else guessed from the first rows as docs/sources.md says, at last
          ///< microseconds
  kNanoseconds,
  kMicroseconds,
  kMilliseconds,
  kSeconds,
};

/// Where bytes come from, told from the target's form alone.
enum class Transport : std::uint8_t { kFile, kPipe, kHttp, kRtsp, kDevice };

struct SourceSpec {
  std::string name;  ///< [A-Za-z0-9_.-]+; given, or made from the target
  std::string target;  ///< path, URL, `-` (standard input), `v4l2:…`, `alsa:…` or `pulse:…`; for people: a
                       ///< URL's user and password are masked
  std::string secret;  ///< the URL with them; empty: `target` says it all
  SourceKind kind = SourceKind::kAuto;
  Transport transport = Transport::kFile;
  bool live = false;         ///< a pipe's times are taken from arrival; always set for RTSP and devices
  std::optional<int> video;  ///< which of the video streams, from 0; none: the best
  std::optional<int> audio;  ///< which of the audio streams
  std::optional<std::int64_t> epoch_us;  ///< the log time that is session time 0, µs
  TimeUnit unit = TimeUnit::kAuto;
  std::optional<bool> isolate;        ///< decoded in a process of its own; none: as the options say
  Nanoseconds shift{};                ///< added to its times: of a sender that is known to be off by so much
  std::optional<Nanoseconds> synced;  ///< a live sender's wall clock agrees with ours to this; none: unknown

  /// A live URL that broke off is opened again for so long; 0: not at all; none: for ever.
  std::optional<Nanoseconds> reconnect;

  /// What is opened, and never shown.
  const std::string& address() const { return secret.empty() ? target : secret; }
};

/// `text` with each "://user:password@" in it as "://***@": for messages, which may quote addresses.
std::string without_passwords(std::string text);

/// `clip.mp4`, a URL, `-`, a device, or `key=value,…` with the keys name, kind, file (or url, device), video,
/// audio, live (0 or 1), epoch (µs), unit, synced (ms), isolate (on or off), shift (ms), reconnect (s). A
/// target may hold commas: it ends where another key begins. A path that exists is taken as a path before it
/// is taken as key=value. Errors: kUsage.
Result<SourceSpec> parse_source_spec(std::string_view text);

}  // namespace braid::ingest
