#pragma once
// What sources send and stages pass on before the model: plain data, each with its capture time.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "braid/base/ids.h"
#include "braid/base/result.h"
#include "braid/base/stage.h"
#include "braid/base/time.h"
#include "braid/tensor/slot_pool.h"

namespace braid {

enum class Modality : std::uint8_t { kVision, kAudio, kText, kReading };
const char* to_string(Modality modality);  ///< "vision", "audio", "text", "reading"

/// One sampled picture, upright, square pixels, no alpha.
struct Frame {
  SourceId source;
  int camera = 0;  ///< which one, of a source that hands on the frames of several
  SessionTime captured;
  Nanoseconds error_bound{};  ///< |captured - truth| is at most this
  int width = 0;              ///< pixels
  int height = 0;
  int stride = 0;  ///< bytes from one row to the next, at least 3 * width
  Slot pixels;     ///< [height, width, 3] u8 RGB, rows `stride` bytes apart
  bool scene_change = false;
  StageTrace trace;
};

/// May one frame take the other's place?
inline bool same_camera(const Frame& a, const Frame& b) {
  return a.source == b.source && a.camera == b.camera;
}

/// A stretch of sound without holes. Blocks of a source come in order and don't overlap; a hole is a jump in
/// `start`.
struct AudioBlock {
  SourceId source;
  SessionTime start;
  int sample_rate = 16000;     ///< Hz
  std::vector<float> samples;  ///< [n] mono, -1..1
  StageTrace trace;
  Nanoseconds error_bound{};  ///< |start - truth| is at most this

  Nanoseconds duration() const {
    return Nanoseconds(static_cast<std::int64_t>(samples.size()) * 1'000'000'000 / sample_rate);
  }
};

/// Speech cut out of a source's sound.
struct Utterance {
  SourceId source;
  SessionTime start;
  SessionTime end;
  int sample_rate = 16000;
  std::vector<float> samples;  ///< [n] mono, -1..1
  StageTrace trace;
  Nanoseconds error_bound{};  ///< of both
};

/// A line of text with the span it belongs to (subtitle, chat, log).
struct TextLine {
  SourceId source;
  SessionTime start;
  SessionTime end;
  std::string text;  ///< UTF-8, one line, not empty
  StageTrace trace;
  Nanoseconds error_bound{};  ///< of both
};

/// One row of a sensor log.
struct Reading {
  SourceId source;
  SessionTime at;
  std::vector<std::pair<std::string, std::string>> values;  ///< channel, value as written; never empty
  StageTrace trace;
  Nanoseconds error_bound{};  ///< |at - truth| is at most this
};

/// The kinds of stream that one source may carry, each with its own bound.
enum class StreamKind : std::uint8_t { kVideo, kAudio, kText, kReading };
inline constexpr std::size_t kStreamKinds = 4;

/// A promise: this stream sends nothing earlier than `nothing_before` from now on.
struct Bound {
  StreamKind stream;
  SessionTime nothing_before;
};

/// A fault that cost a part of the input, not the source. Counted and reported with its time.
struct Damage {
  SourceId source;
  SessionTime at;
  Error error;
  bool notice = false;  ///< nothing was lost: something was assumed that people should know; not counted
};

/// What a source sends. Per stream in order of time; between streams of a source in any order that keeps its
/// bounds.
using Packet = std::variant<Frame, AudioBlock, TextLine, Reading, Bound, Damage>;

}  // namespace braid
