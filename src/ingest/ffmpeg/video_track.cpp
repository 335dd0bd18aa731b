#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "braid/ingest/frame_sampler.h"
#include "exif.h"
#include "handed.h"
#include "luma_grid.h"
#include "picture.h"
#include "track.h"

extern "C" {
#include <libavutil/display.h>
}

namespace braid::ingest::ffmpeg {

namespace {

constexpr Nanoseconds kSlotPoll = Milliseconds(2);
constexpr Nanoseconds kSlotPatience = std::chrono::seconds(30);  // then a holder is taken to be stuck
constexpr std::int64_t kDefaultFrameNs = 40'000'000;

std::int64_t frame_ns(const AVStream& stream) {
  const AVRational rate = stream.avg_frame_rate;
  constexpr std::int64_t kLongestNs = 3'600'000'000'000;  // a rate of less is none
  const std::int64_t ns = rate.num > 0 && rate.den > 0 ? av_rescale(1'000'000'000, rate.den, rate.num) : 0;
  return ns > 0 && ns <= kLongestNs ? ns : kDefaultFrameNs;
}

Orientation stream_orientation(const AVStream& stream) {
  const auto* matrix = reinterpret_cast<const std::int32_t*>(
      av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
  return matrix ? orientation_of(matrix) : Orientation{};
}

class VideoTrack final : public Track {
 public:
  VideoTrack(const AVStream& stream, Decoder decoder, AVRational aspect, const IngestOptions& options,
             bool lossy)
      : Track(stream, StreamKind::kVideo, std::move(decoder)),
        orientation_(stream_orientation(stream)),
        holds_exif_(stream.codecpar->codec_id == AV_CODEC_ID_PNG ||
                    stream.codecpar->codec_id == AV_CODEC_ID_TIFF),
        aspect_(aspect),
        frame_ns_(frame_ns(stream)),
        half_tick_(to_ns(1, stream.time_base) / 2),
        lossy_(lossy),
        sampler_({options.fps, options.max_fps}),
        converter_(options.max_frame_side > 0 ? options.max_frame_side : options.limits.max_side,
                   options.frame_slots, options.handed ? options.handed->take_slot : nullptr) {}

 private:
  void on_packet(const AVPacket& packet) override {
    if (!holds_exif_) return;
    const int told = exif_orientation({packet.data, static_cast<std::size_t>(packet.size)});
    if (told != 0) orientation_ = orientation_of_exif(told);
  }

  bool on_frame(AVFrame& frame, const TimeMap& times, const Handling& handling, Outlet& outlet) override {
    const std::int64_t container_ns = to_ns(frame.best_effort_timestamp, time_base_);
    const SessionTime at = container_ns != AV_NOPTS_VALUE ? times.at(container_ns)
                           : seen_                        ? progress_ + Nanoseconds(frame_ns_)
                                                          : progress_;
    error_bound_ = times.error_bound + Nanoseconds(half_tick_);
    if (frame.flags & AV_FRAME_FLAG_CORRUPT) return incomplete(std::max(at, progress_), outlet);
    const bool first = !std::exchange(seen_, true) && progress_ == kSessionStart;
    if (!first && at <= progress_) return goes_back(at, outlet);
    if (outlet.past_end(at)) {
      outlet.too_long(fmt::format("stream {}", index()));
      return false;
    }
    if (at < outlet.promised(StreamKind::kVideo)) return comes_late(at, outlet);
    progress_ = at;
    LumaGrid grid;
    const bool scene = read_luma_grid(frame, grid) && scenes_.changed(grid);
    if (at < kSessionStart) return outlet.open();
    const FrameSampler::Pick pick = sampler_.judge(at, scene);
    if (pick == FrameSampler::Pick::kSkip) return outlet.open();
    return send(frame, at, pick == FrameSampler::Pick::kScene, handling, outlet);
  }

  bool goes_back(SessionTime at, Outlet& outlet) {
    return outlet.damage(
        progress_, ErrorCode::kBadInput, "order",
        at == progress_
            ? fmt::format("stream {}: two pictures have one time; the second is left out", index())
            : fmt::format("stream {}: a picture's time goes back by {:.3f} s; it is left out", index(),
                          to_seconds(progress_ - at)));
  }

  bool comes_late(SessionTime at, Outlet& outlet) const {
    return outlet.damage(
        at, ErrorCode::kBadInput, "late",
        fmt::format("stream {}: a picture stands {:.3f} s behind what else is of its time; it is left out",
                    index(), to_seconds(outlet.promised(StreamKind::kVideo) - at)));
  }

  bool incomplete(SessionTime at, Outlet& outlet) const {
    return outlet.damage(
        at, ErrorCode::kBadInput, "incomplete",
        fmt::format("stream {}: a picture builds on one that is missing; it is left out", index()));
  }

  bool send(const AVFrame& picture, SessionTime at, bool scene, const Handling& handling, Outlet& outlet) {
    auto made = convert(picture, outlet);
    if (!made && made.error().code == ErrorCode::kFull)
      return outlet.damage(at, ErrorCode::kFull, "slots",
                           "a frame was dropped: all frame slots are held by later stages");
    if (!made) return outlet.damage(at, made.error().code, "conversion", made.error().message);
    Frame frame;
    frame.captured = at;
    frame.error_bound = error_bound_;
    frame.width = made->width;
    frame.height = made->height;
    frame.stride = made->stride;
    frame.pixels = std::move(made->pixels);
    frame.scene_change = scene;
    ++sent_;
    return outlet.send(std::move(frame), at, handling);
  }

  /// Waits for a slot unless pictures can't wait.
  Result<Picture> convert(const AVFrame& picture, Outlet& outlet) {
    Orientation orientation = orientation_;
    if (const AVFrameSideData* own = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX))
      orientation = orientation_of(reinterpret_cast<const std::int32_t*>(own->data));
    else if (const AVDictionaryEntry* told = av_dict_get(picture.metadata, "Orientation", nullptr, 0))
      orientation = orientation_of_exif(std::atoi(told->value));
    Pacer& pacer = outlet.pacer();
    const SteadyTime patience_ends = pacer.now() + kSlotPatience;
    for (;;) {
      auto made = converter_.convert(picture, orientation, aspect_);
      const bool full = !made && made.error().code == ErrorCode::kFull;
      if (!full || lossy_ || pacer.now() >= patience_ends) return made;
      if (!pacer.wait_until(pacer.now() + kSlotPoll)) return made;
    }
  }

  Orientation orientation_;
  bool holds_exif_;  // in its packets
  AVRational aspect_;
  std::int64_t frame_ns_;
  std::int64_t half_tick_;
  bool lossy_;                 // live: a picture without a slot is dropped
  Nanoseconds error_bound_{};  // of the picture that was decoded last
  bool seen_ = false;
  SceneDetector scenes_;
  FrameSampler sampler_;
  PictureConverter converter_;
};

}  // namespace

Result<std::unique_ptr<Track>> make_video_track(const AVStream& stream, const IngestOptions& options,
                                                bool live) {
  auto decoder = Decoder::open(stream, options);
  if (!decoder) return tl::unexpected(decoder.error());
  return std::make_unique<VideoTrack>(stream, *std::move(decoder), stream.sample_aspect_ratio, options,
                                      live || options.realtime);
}

}  // namespace braid::ingest::ffmpeg
