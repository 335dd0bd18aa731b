#include "live_times.h"

#include <algorithm>

namespace braid::ingest::ffmpeg {

std::optional<TimeMap> LiveTimes::follow(const AVPacket& packet, std::int64_t pts, Nanoseconds length,
                                         SessionTime arrival) {
  if (!clock_ || packet.stream_index != leader_.value_or(packet.stream_index)) return std::nullopt;
  leader_ = packet.stream_index;
  // Pictures that are shown in another order than they are sent were not overtaken.
  const bool reordered = packet.pts != packet.dts && packet.dts != AV_NOPTS_VALUE;
  if (reordered && newest_ && pts < *newest_) return std::nullopt;
  const std::int64_t shown = pts + length.count();
  const StampClock::Captured captured = clock_->observe(shown, arrival);
  if (!captured.believed) return std::nullopt;
  newest_ = pts;
  compare(packet, pts, arrival);
  return TimeMap{shown, std::max(kSessionStart, captured.at), captured.error_bound};
}

void LiveTimes::restart() {
  leader_.reset();
  newest_.reset();
  if (clock_) clock_->restart();
}

/// RTP's sender reports, as FFmpeg hands them on, and what encoders write of themselves.
void LiveTimes::compare(const AVPacket& packet, std::int64_t pts, SessionTime arrival) {
  if (!synced_ || !unix_us_) return;
  std::size_t size = 0;
  const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_PRFT, &size);
  if (data == nullptr || size < sizeof(AVProducerReferenceTime)) return;
  const auto wall = reinterpret_cast<const AVProducerReferenceTime*>(data)->wallclock;
  constexpr std::int64_t kLongestUs = 60'000'000;
  const std::int64_t ago = std::clamp(unix_us_() - wall, -kLongestUs, kLongestUs);
  clock_->reference(pts, arrival - Microseconds(ago), *synced_);
}

}  // namespace braid::ingest::ffmpeg
