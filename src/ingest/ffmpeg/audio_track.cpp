#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sound.h"
#include "track.h"

namespace braid::ingest::ffmpeg {

namespace {

constexpr std::size_t kPromptBlock = 512;    // samples; 32 ms, what a live session waits for
constexpr std::size_t kThriftyBlock = 2048;  // samples; 128 ms, where nobody waits

constexpr Nanoseconds kBack = Milliseconds(500);      // is no jitter
constexpr Nanoseconds kHeldBack = Milliseconds(500);  // a block half full waits so long for its rest

class AudioTrack final : public Track {
 public:
  AudioTrack(const AVStream& stream, Decoder decoder, std::size_t block_samples, bool live, bool counted)
      : Track(stream, StreamKind::kAudio, std::move(decoder)),
        counted_(counted),
        sound_(block_samples, live) {}

  bool counts() const override { return counts_; }

 private:
  bool on_frame(AVFrame& frame, const TimeMap& times, const Handling& handling, Outlet& outlet) override {
    const std::int64_t container_ns = to_ns(frame.best_effort_timestamp, time_base_);
    SessionTime at = container_ns != AV_NOPTS_VALUE ? times.at(container_ns) : sound_.expected();
    if (counted_ && joined_behind(frame, at)) counts_ = true;
    if (counts_) at = sound_.expected();
    error_bound_ = times.error_bound;
    const SessionTime promised = outlet.promised(StreamKind::kAudio);
    if (at < promised && !comes_late(promised - at, at, outlet)) return false;
    sound_.nothing_before(std::max(promised, progress_));
    if (auto kept = sound_.push(frame, at); !kept)
      return outlet.damage(at, kept.error().code, "sound", kept.error().message);
    return send_ready(handling, outlet);
  }

  /// Another file begins, at another rate or from 0 again.
  bool joined_behind(const AVFrame& frame, SessionTime at) {
    const int before = std::exchange(rate_, frame.sample_rate);
    return before != 0 && (frame.sample_rate != before || at < sound_.expected() - kBack);
  }

  bool comes_late(Nanoseconds by, SessionTime at, Outlet& outlet) const {
    constexpr Nanoseconds kRounding = Milliseconds(40);  // as muxers do
    if (by <= kRounding) return true;
    return outlet.damage(
        at, ErrorCode::kBadInput, "late",
        fmt::format("stream {}: sound stands {:.3f} s behind what else is of its time; that much of it "
                    "is left out",
                    index(), to_seconds(by)));
  }

  bool on_end(const Handling& handling, Outlet& outlet) override {
    sound_.finish();
    return send_ready(handling, outlet);
  }

  bool fall_behind(SessionTime others, const Handling& handling, Outlet& outlet) override {
    if (!counts_ && others - progress_ > kHeldBack) sound_.finish();
    return send_ready(handling, outlet);
  }

  SessionTime held_back() const override { return sound_.held_from(); }

  bool send_ready(const Handling& handling, Outlet& outlet) {
    AudioBlock block;
    while (sound_.pop(block)) {
      const SessionTime end = block.start + block.duration();
      progress_ = end;
      block.error_bound = error_bound_;
      ++sent_;
      if (!outlet.send(std::move(block), end, handling)) return false;
    }
    return outlet.open();
  }

  const bool counted_;   // the container's times are counts of samples
  bool counts_ = false;  // and are passed over
  int rate_ = 0;         // of the frame before, Hz
  SoundConverter sound_;
  Nanoseconds error_bound_{};
};

}  // namespace

Result<std::unique_ptr<Track>> make_audio_track(const AVStream& stream, const IngestOptions& options,
                                                bool live, bool counted) {
  auto decoder = Decoder::open(stream, options);
  if (!decoder) return tl::unexpected(decoder.error());
  return std::make_unique<AudioTrack>(stream, *std::move(decoder),
                                      live || options.realtime ? kPromptBlock : kThriftyBlock, live, counted);
}

}  // namespace braid::ingest::ffmpeg
