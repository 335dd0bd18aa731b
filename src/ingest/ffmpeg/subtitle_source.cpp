#include "subtitle_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "braid/ingest/text_lines.h"
#include "decoder.h"
#include "input.h"
#include "log_capture.h"
#include "row_outlet.h"

namespace braid::ingest::ffmpeg {

namespace {

constexpr int kAssFields = 8;  // ReadOrder, Layer, Style, Name, MarginL, MarginR, MarginV, Effect
constexpr Nanoseconds kDefaultDuration = std::chrono::seconds(3);

/// A subtitle as FFmpeg gives it, freed with this.
struct Subtitle {
  AVSubtitle content{};
  Subtitle() = default;
  Subtitle(const Subtitle&) = delete;
  Subtitle& operator=(const Subtitle&) = delete;
  ~Subtitle() { avsubtitle_free(&content); }
};

class SubtitleSource final : public Source {
 public:
  SubtitleSource(std::unique_ptr<Input> input, CodecPtr decoder, const AVStream& stream,
                 const SourceSpec& spec, const IngestOptions& options, Clock& clock)
      : input_(std::move(input)),
        decoder_(std::move(decoder)),
        stream_(stream),
        spec_(spec),
        options_(options),
        pacer_(clock) {
    info_.name = spec.name;
    info_.streams[static_cast<std::size_t>(StreamKind::kText)] = true;
    info_.description = codec_name(stream) + " subtitles";
  }

  const SourceInfo& info() const override { return info_; }

  void stop() override {
    pacer_.stop();
    input_->stop();
  }

  Status run(SourceId id, const PacketSink& sink) override {
    const SteadyTime start = options_.session_start ? options_.session_start() : pacer_.now();
    Outlet outlet(id, sink, pacer_,
                  {.realtime = options_.realtime, .live = false, .longest = options_.limits.max_duration},
                  start);
    RowOutlet rows(outlet, StreamKind::kText, spec_.target, RowOutlet::kWindow);
    PacketPtr packet = make_packet();
    for (std::int64_t number = 1; outlet.open(); ++number) {
      const SteadyTime reading = pacer_.now();
      if (input_->read(*packet) < 0) break;
      if (packet->stream_index != stream_.index) continue;
      if (!pass_on(*packet, number, {reading, pacer_.now()}, rows, outlet)) return {};
    }
    rows.finish();
    outlet.flush_damage();
    if (outlet.open() && rows.sent() == 0)
      return fail(
          ErrorCode::kBadInput,
          fmt::format("{}: no subtitle in it can be read; expected SubRip, WebVTT or ASS", spec_.target));
    return {};
  }

 private:
  bool pass_on(AVPacket& packet, std::int64_t number, const Handling& handling, RowOutlet& rows,
               Outlet& outlet) {
    Subtitle subtitle;
    int got = 0;
    const int error = avcodec_decode_subtitle2(decoder_.get(), &subtitle.content, &got, &packet);
    auto text = words(subtitle.content);
    const std::int64_t start_ns = to_ns(packet.pts, stream_.time_base);
    if (error < 0 || !text || start_ns == AV_NOPTS_VALUE)
      return outlet.damage(rows.last(), ErrorCode::kBadInput, "subtitle",
                           fmt::format("{}: subtitle {}: {}; it is left out", spec_.target, number,
                                       error < 0 ? take_last_complaint()
                                       : text    ? "no time"
                                                 : text.error().message));
    if (got == 0 || text->empty()) return outlet.open();
    const std::int64_t duration_ns = packet.duration > 0 ? to_ns(packet.duration, stream_.time_base) : 0;
    const SessionTime start{Nanoseconds(start_ns)};
    const SessionTime end = start + (duration_ns > 0 ? Nanoseconds(duration_ns) : kDefaultDuration);
    return rows.push(TextLine{{}, start, end, *std::move(text), {}}, number, handling);
  }

  static Result<std::string> words(const AVSubtitle& subtitle) {
    std::string text;
    for (unsigned i = 0; i < subtitle.num_rects; ++i) {
      const AVSubtitleRect& rect = *subtitle.rects[i];
      if (rect.type == SUBTITLE_ASS && rect.ass) text += words_of_ass(rect.ass) + "\n";
      if (rect.type == SUBTITLE_TEXT && rect.text) text += std::string(rect.text) + "\n";
    }
    return clean_text(text);
  }

  std::unique_ptr<Input> input_;
  CodecPtr decoder_;
  const AVStream& stream_;  // input_'s
  SourceSpec spec_;
  IngestOptions options_;
  SourceInfo info_;
  Pacer pacer_;
};

}  // namespace

std::string words_of_ass(std::string_view event) {
  for (int field = 0; field < kAssFields; ++field) {
    const std::size_t comma = event.find(',');
    if (comma == std::string_view::npos) break;
    event.remove_prefix(comma + 1);
  }
  std::string words;
  while (!event.empty()) {
    const std::size_t close = event.front() == '{' ? event.find('}') : std::string_view::npos;
    if (close != std::string_view::npos) {
      event.remove_prefix(close + 1);
    } else if (event.starts_with("\\N") || event.starts_with("\\n") || event.starts_with("\\h")) {
      words += event[1] == 'h' ? ' ' : '\n';
      event.remove_prefix(2);
    } else {
      words += event.front();
      event.remove_prefix(1);
    }
  }
  return words;
}

Result<std::unique_ptr<Source>> open_subtitles(const SourceSpec& spec, const IngestOptions& options,
                                               Clock& clock) {
  auto input = Input::open(spec, options, clock);
  if (!input) return tl::unexpected(input.error());
  AVFormatContext& format = (*input)->format();
  const AVCodec* codec = nullptr;
  const int best = av_find_best_stream(&format, AVMEDIA_TYPE_SUBTITLE, -1, -1, &codec, 0);
  if (best < 0 || !codec)
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: is {} without subtitles; expected SubRip, WebVTT or ASS", spec.target,
                            format.iformat->name));
  const AVStream& stream = *format.streams[best];
  CodecPtr decoder(avcodec_alloc_context3(codec));
  if (!decoder) return fail(ErrorCode::kResource, "no memory for a decoder");
  avcodec_parameters_to_context(decoder.get(), stream.codecpar);
  decoder->pkt_timebase = stream.time_base;
  if (avcodec_open2(decoder.get(), codec, nullptr) < 0)
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: the {} decoder refused it", spec.target, codec_name(stream)));
  return std::make_unique<SubtitleSource>(*std::move(input), std::move(decoder), stream, spec, options,
                                          clock);
}

}  // namespace braid::ingest::ffmpeg
