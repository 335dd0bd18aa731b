#pragma once
// One stream of a container, from packets to what the session takes.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "decoder.h"
#include "outlet.h"

namespace braid::ingest::ffmpeg {

/// Container times to session times: one origin for all streams.
struct TimeMap {
  std::int64_t origin_ns = 0;  ///< container time of `base`
  SessionTime base{};
  Nanoseconds error_bound{};  ///< of what it says

  /// Stamps of nonsense end up fifty years before or after, so that sums of times never overflow.
  SessionTime at(std::int64_t container_ns) const {
    constexpr std::int64_t kMost = std::int64_t{50} * 365 * 24 * 3600 * 1'000'000'000;
    const auto bounded = [](std::int64_t ns) { return std::clamp(ns, -2 * kMost, 2 * kMost); };
    return base + Nanoseconds(std::clamp(bounded(container_ns) - bounded(origin_ns), -kMost, kMost));
  }
};

/// One thread.
class Track {
 public:
  Track(const AVStream& stream, StreamKind kind, Decoder decoder)
      : time_base_(stream.time_base),
        index_(stream.index),
        kind_(kind),
        decoder_(std::move(decoder)),
        frame_(make_frame()) {}
  virtual ~Track() = default;

  int index() const { return index_; }
  StreamKind kind() const { return kind_; }
  std::uint64_t sent() const { return sent_; }        ///< frames or blocks
  SessionTime progress() const { return progress_; }  ///< everything before has been sent
  /// What went before came by another line, of which everything before `at` has been sent.
  void goes_on_from(SessionTime at) { progress_ = at; }

  /// The container's times are none any more: it goes on by counting what was decoded.
  virtual bool counts() const { return false; }

  /// Decodes a packet (null: what is left in the decoder) and sends what comes of it. False: stop reading.
  bool decode(const AVPacket* packet, const TimeMap& times, const Handling& handling, Outlet& outlet);
  /// Other streams have got to `at`; what this one holds back for company goes out. False: stop reading.
  virtual bool fall_behind(SessionTime, const Handling&, Outlet& outlet) { return outlet.open(); }
  /// Nothing earlier than this is in the decoder or held back. What stays there for a second of the others'
  /// time is not waited for.
  SessionTime held_from(SessionTime others) const;

 protected:
  virtual bool on_frame(AVFrame& frame, const TimeMap& times, const Handling& handling, Outlet& outlet) = 0;
  virtual void on_packet(const AVPacket&) {}
  virtual bool on_end(const Handling&, Outlet&) { return true; }
  /// Nothing earlier is held back behind the decoder.
  virtual SessionTime held_back() const { return SessionTime::max(); }
  bool damaged(Outlet& outlet, const char* what, int error);

  AVRational time_base_;
  SessionTime progress_{};
  std::uint64_t sent_ = 0;

 private:
  const char* thing() const { return kind_ == StreamKind::kVideo ? "a picture" : "sound"; }
  bool complained(Outlet& outlet);
  void note_sent(const AVPacket& packet, const TimeMap& times);
  void note_received(const AVFrame& frame, const TimeMap& times);

  int index_;
  StreamKind kind_;
  Decoder decoder_;
  std::vector<SessionTime> in_decoder_;  // times of packets whose frames are to come; few
  FramePtr frame_;
};

Result<std::unique_ptr<Track>> make_video_track(const AVStream& stream, const IngestOptions& options,
                                                bool live);
/// `counted`: the container has no times but counts samples, at the rate with which it began.
Result<std::unique_ptr<Track>> make_audio_track(const AVStream& stream, const IngestOptions& options,
                                                bool live, bool counted);

}  // namespace braid::ingest::ffmpeg
