#include "track.h"

#include <algorithm>

#include <fmt/format.h>

#include "log_capture.h"

namespace braid::ingest::ffmpeg {

bool Track::damaged(Outlet& outlet, const char* what, int error) {
  const std::string complaint = take_last_complaint();
  return outlet.damage(progress_, ErrorCode::kBadInput, what,
                       fmt::format("stream {}: {} could not be decoded ({}); it is left out", index_, what,
                                   complaint.empty() ? error_text(error) : complaint));
}

bool Track::decode(const AVPacket* packet, const TimeMap& times, const Handling& handling, Outlet& outlet) {
  int sent = decoder_.send(packet);
  if (packet && sent >= 0) ++inside_;
  // AVERROR(EAGAIN) can't be: all frames are received after each packet.
  if (sent < 0 && sent != AVERROR_EOF &&
      !damaged(outlet, kind_ == StreamKind::kVideo ? "a picture" : "sound", sent))
    return false;
  for (;;) {
    const int received = decoder_.receive(*frame_);
    if (received == AVERROR(EAGAIN)) return outlet.open();
    if (received == AVERROR_EOF) return on_end(handling, outlet);
    if (received < 0) {
      if (sent == received) return outlet.open();
      sent = received;
      if (!damaged(outlet, kind_ == StreamKind::kVideo ? "a picture" : "sound", received)) return false;
      continue;
    }
    --inside_;
    const bool goes_on = on_frame(*frame_, times, handling, outlet);
    av_frame_unref(frame_.get());
    if (!goes_on) return false;
  }
}

SessionTime Track::nothing_before(SessionTime queued) const {
  // A decoder that lost packets would hold the others for ever.
  constexpr Nanoseconds kLongestDelay = std::chrono::seconds(2);
  const bool holds = inside_ > 0 && queued - progress_ < kLongestDelay;
  return holds ? progress_ : std::max(progress_, queued);
}

}  // namespace braid::ingest::ffmpeg
