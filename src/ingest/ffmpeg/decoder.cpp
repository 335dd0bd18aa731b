#include "decoder.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "log_capture.h"

namespace braid::ingest::ffmpeg {

namespace {

std::int64_t unpacked_bytes(int format, int width, int height) {
  return format < 0 ? 0 : av_image_get_buffer_size(static_cast<AVPixelFormat>(format), width, height, 1);
}

Status check_size(const AVStream& stream, const IngestOptions& options) {
  const AVCodecParameters& coded = *stream.codecpar;
  if (coded.codec_type != AVMEDIA_TYPE_VIDEO) return {};
  const auto pixels = std::int64_t{coded.width} * coded.height;
  const std::int64_t bytes = unpacked_bytes(coded.format, coded.width, coded.height);
  if (bytes > options.limits.max_unpacked_bytes)
    return fail(ErrorCode::kLimit,
                fmt::format("a picture of {}x{} unpacks to {} bytes; at most {} are allowed; scale it "
                            "down first",
                            coded.width, coded.height, bytes, options.limits.max_unpacked_bytes));
  if (std::max(coded.width, coded.height) <= options.limits.max_side && pixels <= options.limits.max_pixels)
    return {};
  return fail(
      ErrorCode::kLimit,
      fmt::format("a picture of {}x{} is too large; at most {} px a side and {} px in all are decoded; scale "
                  "it down first",
                  coded.width, coded.height, options.limits.max_side, options.limits.max_pixels));
}

}  // namespace

std::string codec_name(const AVStream& stream) { return avcodec_get_name(stream.codecpar->codec_id); }

/// The size may have changed since opening.
int Decoder::take_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  const auto& limits = *static_cast<const Limits*>(context->opaque);
  constexpr int kPadding = 64;  // px, of coded blocks
  if (context->codec_type == AVMEDIA_TYPE_VIDEO &&
      (std::max(frame->width, frame->height) > limits.max_side + kPadding ||
       unpacked_bytes(frame->format, frame->width, frame->height) > limits.max_bytes)) {
    av_log(context, AV_LOG_ERROR, "a picture of %dx%d is larger than %d a side or %" PRId64 " bytes\n",
           frame->width, frame->height, limits.max_side, limits.max_bytes);
    return AVERROR(EINVAL);
  }
  return avcodec_default_get_buffer2(context, frame, flags);
}

Result<Decoder> Decoder::open(const AVStream& stream, const IngestOptions& options) {
  if (auto fits = check_size(stream, options); !fits) return tl::unexpected(fits.error());
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  if (!codec)
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("stream {}: this FFmpeg has no decoder for {}; convert it first (ffmpeg -i IN OUT.mp4)",
                    stream.index, codec_name(stream)));
  CodecPtr context(avcodec_alloc_context3(codec));
  if (!context) return fail(ErrorCode::kResource, "no memory for a decoder");
  int error = avcodec_parameters_to_context(context.get(), stream.codecpar);
  context->pkt_timebase = stream.time_base;
  context->max_pixels = options.limits.max_pixels;
  auto limits = std::make_unique<Limits>(Limits{options.limits.max_side, options.limits.max_unpacked_bytes});
  context->opaque = limits.get();
  context->get_buffer2 = take_buffer;
  context->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;  // what is left out is to be told
  context->thread_type = FF_THREAD_SLICE;
  context->thread_count = 1;  // the model needs the cores; frame threads would delay live pictures
  if (error >= 0) error = avcodec_open2(context.get(), codec, nullptr);
  if (error < 0) {
    const std::string complaint = take_last_complaint();
    return fail(ErrorCode::kBadInput,
                fmt::format("stream {}: the {} decoder refused it ({})", stream.index, codec_name(stream),
                            complaint.empty() ? error_text(error) : complaint));
  }
  return Decoder(std::move(limits), std::move(context));
}

}  // namespace braid::ingest::ffmpeg
