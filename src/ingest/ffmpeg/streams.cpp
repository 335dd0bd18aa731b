#include "streams.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace braid::ingest::ffmpeg {

namespace {

constexpr std::int64_t kLongestPrimingNs = 1'000'000'000;
constexpr std::int64_t kAbsurdNs = 3600'000'000'000;   // streams of one file don't begin an hour apart
constexpr std::int64_t kLongestNs = 8760 * kAbsurdNs;  // a year; longer is nonsense

/// FFmpeg's choice passes over what it has seen nothing of yet; such a stream may begin later.
std::optional<int> first_announced(const AVFormatContext& format, AVMediaType type) {
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& stream = *format.streams[i];
    if (stream.codecpar->codec_type == type && stream.codecpar->codec_id != AV_CODEC_ID_NONE &&
        !(stream.disposition & AV_DISPOSITION_ATTACHED_PIC))
      return static_cast<int>(i);
  }
  return std::nullopt;
}

/// Sound alone, whose only times are how many samples came before.
bool counts_samples(const AVFormatContext& format) {
  constexpr const char* kNames = "aac,ac3,eac3,dts,flac,mp3,ogg";
  return format.nb_streams == 1 && av_match_name(format.iformat->name, kNames) != 0;
}

/// The number of the stream wanted; none: the file has no such stream.
Result<std::optional<int>> choose(AVFormatContext& format, AVMediaType type, std::optional<int> wanted,
                                  const std::string& target) {
  if (!wanted) {
    const int best = av_find_best_stream(&format, type, -1, -1, nullptr, 0);
    if (best >= 0 && !(format.streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC)) return best;
    return best < 0 ? first_announced(format, type) : std::nullopt;
  }
  int seen = 0;
  for (unsigned i = 0; i < format.nb_streams; ++i)
    if (format.streams[i]->codecpar->codec_type == type && seen++ == *wanted) return static_cast<int>(i);
  return fail(ErrorCode::kUsage, fmt::format("{}: {}={} asked for, but it has {} such streams; count from 0",
                                             target, av_get_media_type_string(type), *wanted, seen));
}

std::string describe(const AVStream& stream, bool still) {
  const AVCodecParameters& coded = *stream.codecpar;
  if (coded.codec_type == AVMEDIA_TYPE_VIDEO) {
    const double rate = stream.avg_frame_rate.den > 0 ? av_q2d(stream.avg_frame_rate) : 0;
    const std::string fps = rate > 0 && !still ? fmt::format(" {:.4g} fps", rate) : "";
    return fmt::format("{} {}x{}{}", codec_name(stream), coded.width, coded.height, fps);
  }
  std::array<char, 64> layout{};
  av_channel_layout_describe(&coded.ch_layout, layout.data(), layout.size());
  return fmt::format("{} {} Hz {}", codec_name(stream), coded.sample_rate, layout.data());
}

/// Which of several it is: " (video=0 of 2)".
std::string choice(const AVFormatContext& format, const AVStream& stream) {
  int count = 0, number = 0;
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    if (format.streams[i]->codecpar->codec_type != stream.codecpar->codec_type) continue;
    if (format.streams[i] == &stream) number = count;
    ++count;
  }
  if (count < 2) return {};
  return fmt::format(" ({}={} of {})", av_get_media_type_string(stream.codecpar->codec_type), number, count);
}

/// The stream's first time; sound that begins before 0 is codec priming, which no one hears.
std::optional<std::int64_t> start_ns(const AVStream& stream) {
  const std::int64_t start = to_ns(stream.start_time, stream.time_base);
  if (start == AV_NOPTS_VALUE) return std::nullopt;
  const bool priming =
      stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && start < 0 && start > -kLongestPrimingNs;
  return priming ? 0 : start;
}

/// Earliest start of the streams used, unless it is absurdly far before the first stream's; of a counter that
/// wrapped between their starts it is before 0.
std::int64_t origin_of(const AVFormatContext& format, const std::vector<std::unique_ptr<Track>>& tracks) {
  std::optional<std::int64_t> origin;
  for (const auto& track : tracks) {
    const AVStream& stream = *format.streams[track->index()];
    auto start = start_ns(stream);
    if (!start) continue;
    if (!origin) origin = start;
    const std::int64_t period =
        stream.pts_wrap_bits < 60 ? to_ns(std::int64_t{1} << stream.pts_wrap_bits, stream.time_base) : 0;
    if (period > 0 && *start - *origin > period / 2) *start -= period;
    if (*start<*origin&& * start> * origin - kAbsurdNs) origin = start;
  }
  return origin.value_or(0);
}

/// Up to the end of the longest stream used; containers that don't tell streams' lengths count from their
/// zero.
Nanoseconds duration_of(const AVFormatContext& format, const Streams& streams) {
  std::int64_t end = 0;
  for (const auto& track : streams.tracks) {
    const AVStream& stream = *format.streams[track->index()];
    const std::int64_t length = to_ns(stream.duration, stream.time_base);
    if (length != AV_NOPTS_VALUE) end = std::max(end, start_ns(stream).value_or(0) + length);
  }
  if (end == 0 && format.duration != AV_NOPTS_VALUE) end = to_ns(format.duration, AV_TIME_BASE_Q);
  const std::int64_t length = end - streams.origin_ns;
  return end > 0 && length > 0 && length < kLongestNs ? Nanoseconds(length) : Nanoseconds{};
}

}  // namespace

Track* Streams::of(int stream_index) const {
  for (const auto& track : tracks)
    if (track->index() == stream_index) return track.get();
  return nullptr;
}

Result<Streams> choose_streams(Input& input, const SourceSpec& spec, const IngestOptions& options) {
  AVFormatContext& format = input.format();
  Streams streams;
  const std::string_view names = format.iformat->name;
  streams.description = names.substr(0, names.find(','));
  for (const AVMediaType type : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
    const bool video = type == AVMEDIA_TYPE_VIDEO;
    if (spec.kind == (video ? SourceKind::kAudio : SourceKind::kVideo)) continue;
    auto chosen = choose(format, type, video ? spec.video : spec.audio, spec.target);
    if (!chosen) return tl::unexpected(chosen.error());
    if (!*chosen) continue;
    const AVStream& stream = *format.streams[**chosen];
    auto track = video ? make_video_track(stream, options, spec.live)
                       : make_audio_track(stream, options, spec.live, counts_samples(format));
    if (!track) {
      track.error().message = spec.target + ": " + track.error().message;
      streams.unusable.push_back(std::move(track.error()));
      continue;
    }
    streams.tracks.push_back(*std::move(track));
    streams.description += ", " + describe(stream, input.still()) + choice(format, stream);
  }
  if (streams.tracks.empty() && !streams.unusable.empty()) return tl::unexpected(streams.unusable.front());
  const bool words = av_find_best_stream(&format, AVMEDIA_TYPE_SUBTITLE, -1, -1, nullptr, 0) >= 0;
  if (streams.tracks.empty() && words)
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: holds subtitles ({}); name it as that: --source kind=subtitle,file={}",
                            spec.target, format.iformat->name, spec.target));
  if (streams.tracks.empty())
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: is {} without {}; expected pictures or sound; check it with ffprobe",
                            spec.target, format.iformat->name,
                            spec.kind == SourceKind::kVideo   ? "a video stream"
                            : spec.kind == SourceKind::kAudio ? "an audio stream"
                                                              : "a video or audio stream"));
  for (unsigned i = 0; i < format.nb_streams; ++i)
    format.streams[i]->discard = streams.of(static_cast<int>(i)) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  streams.origin_ns = origin_of(format, streams.tracks);
  if (!input.still()) streams.duration = duration_of(format, streams);
  if (options.limits.max_duration > Nanoseconds{} && !spec.live &&
      streams.duration > options.limits.max_duration)
    return fail(ErrorCode::kLimit,
                fmt::format("{}: lasts {:.1f} s; at most {:.1f} s are read; cut it first", spec.target,
                            to_seconds(streams.duration), to_seconds(options.limits.max_duration)));
  return streams;
}

}  // namespace braid::ingest::ffmpeg
