#pragma once
// A live sender's packet times, brought to session time by its clock.

#include <functional>
#include <memory>
#include <optional>

#include "braid/ingest/stamp_clock.h"
#include "handles.h"
#include "track.h"

namespace braid::ingest::ffmpeg {

/// One stream's packets tell the clock, for all streams of the sender: the first that is seen. One thread.
class LiveTimes {
 public:
  /// `synced`: by how much the sender's wall clock and `unix_us` may disagree; none: they aren't compared.
  LiveTimes(std::unique_ptr<StampClock> clock, std::optional<Nanoseconds> synced,
            std::function<std::int64_t()> unix_us)
      : clock_(std::move(clock)), synced_(synced), unix_us_(std::move(unix_us)) {}

  /// What maps times from this packet on, which came at `arrival`; none: as before. `pts` in ns of the
  /// container, unwrapped; `length` of its sound, which had to end before it was sent.
  std::optional<TimeMap> follow(const AVPacket& packet, std::int64_t pts, Nanoseconds length,
                                SessionTime arrival);
  /// The line was made anew: streams and stamps may be others.
  void restart();

 private:
  void compare(const AVPacket& packet, std::int64_t pts, SessionTime arrival);

  const std::unique_ptr<StampClock> clock_;
  const std::optional<Nanoseconds> synced_;
  const std::function<std::int64_t()> unix_us_;
  std::optional<int> leader_;           // the stream
  std::optional<std::int64_t> newest_;  // pts
};

}  // namespace braid::ingest::ffmpeg
