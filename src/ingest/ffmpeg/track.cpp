#include "track.h"

#include <fmt/format.h>

#include <algorithm>

#include "log_capture.h"

namespace braid::ingest::ffmpeg {

namespace {
constexpr Nanoseconds kPatience = std::chrono::seconds(1);
constexpr std::size_t kMostInDecoder = 32;
}  // namespace

bool Track::damaged(Outlet& outlet, const char* what, int error) {
  const std::string complaint = take_last_complaint();
  return outlet.damage(progress_, ErrorCode::kBadInput, what,
                       fmt::format("stream {}: {} could not be decoded ({}); it is left out", index_, what,
                                   complaint.empty() ? error_text(error) : complaint));
}

/// What was decoded though not all of it was well.
bool Track::complained(Outlet& outlet) {
  const std::string complaint = take_last_complaint();
  const bool patched = frame_->decode_error_flags != 0;
  if (complaint.empty() && !patched) return true;
  return outlet.damage(progress_, ErrorCode::kBadInput, "a part",
                       fmt::format("stream {}: a part of {} could not be decoded ({}); the rest is used",
                                   index_, thing(), complaint.empty() ? "its data is damaged" : complaint));
}

SessionTime Track::held_from(SessionTime others) const {
  SessionTime held = held_back();
  for (const SessionTime at : in_decoder_) held = std::min(held, at);
  return held > others - kPatience ? held : SessionTime::max();
}

void Track::note_sent(const AVPacket& packet, const TimeMap& times) {
  const std::int64_t ns = to_ns(packet.pts, time_base_);
  if (ns == AV_NOPTS_VALUE) return;
  if (in_decoder_.size() >= kMostInDecoder) in_decoder_.erase(in_decoder_.begin());
  in_decoder_.push_back(times.at(ns));
}

void Track::note_received(const AVFrame& frame, const TimeMap& times) {
  const std::int64_t ns = to_ns(frame.best_effort_timestamp, time_base_);
  if (ns != AV_NOPTS_VALUE) std::erase_if(in_decoder_, [&](SessionTime at) { return at <= times.at(ns); });
}

bool Track::decode(const AVPacket* packet, const TimeMap& times, const Handling& handling, Outlet& outlet) {
  if (packet) {
    note_sent(*packet, times);
    on_packet(*packet);
  }
  int sent = decoder_.send(packet);
  // AVERROR(EAGAIN) can't be: all frames are received after each packet.
  if (sent < 0 && sent != AVERROR_EOF && !damaged(outlet, thing(), sent)) return false;
  for (;;) {
    const int received = decoder_.receive(*frame_);
    if (received == AVERROR(EAGAIN)) return outlet.open();
    if (received == AVERROR_EOF) return on_end(handling, outlet);
    if (received < 0) {
      if (sent == received) return outlet.open();
      sent = received;
      if (!damaged(outlet, thing(), received)) return false;
      continue;
    }
    note_received(*frame_, times);
    if (!complained(outlet)) return false;
    const bool goes_on = on_frame(*frame_, times, handling, outlet);
    av_frame_unref(frame_.get());
    if (!goes_on) return false;
  }
}

}  // namespace braid::ingest::ffmpeg
