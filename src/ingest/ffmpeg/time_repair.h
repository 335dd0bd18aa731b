#pragma once
// Packet times of formats that may break off and begin again (MPEG-TS, Ogg), made continuous. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "braid/base/time.h"

namespace braid::ingest::ffmpeg {

/// Tells a wrap of the counter, a reset (a step that the next packet confirms), a hole and a single outlier
/// apart, stream by stream; a stream that meets the reset another has met takes the same shift, so that sound
/// and pictures stay together. After a reset, time goes on where it stopped. One thread.
class TimeRepair {
 public:
  static constexpr Nanoseconds kBack = Milliseconds(500);  ///< steps back up to this are jitter
  static constexpr Nanoseconds kForward =
      std::chrono::seconds(10);  ///< steps on up to this are taken at once
  /// A stream whose time another stream's shift brings this near its place has met the same reset.
  static constexpr Nanoseconds kSameReset = std::chrono::seconds(3);
  static constexpr Nanoseconds kLongestHole = std::chrono::hours(1);  ///< a longer confirmed step is a reset

  /// Where a file begins: its first packet is within half a period of that.
  void begins_at(Nanoseconds origin) { origin_ = origin; }
  /// What to add to this packet's times. `time` is its decode time; `wrap` the counter's period, 0 for none.
  Nanoseconds shift(int stream, Nanoseconds time, Nanoseconds duration, Nanoseconds wrap);
  /// What else to add to the times of the packet that this stream gave before the last one: its jump, which
  /// nothing confirmed then, was a hole. 0: nothing.
  Nanoseconds take_belated() { return std::exchange(belated_, {}); }

 private:
  struct Stream {
    Nanoseconds shift{};
    Nanoseconds expected{};                // where the next packet should be
    std::optional<Nanoseconds> suspected;  // where it should be if the last one's jump is real
    Nanoseconds jump{};                    // of the last one then
  };
  Nanoseconds shift_after_reset(int stream, Nanoseconds time) const;

  std::map<int, Stream> streams_;
  std::optional<Nanoseconds> origin_;
  Nanoseconds belated_{};
};

}  // namespace braid::ingest::ffmpeg
