#include "decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "log_capture.h"

namespace braid::ingest::ffmpeg {

namespace {

/// Asked before each picture is allocated; the size may have changed since opening.
int take_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  const auto max_side = static_cast<int>(reinterpret_cast<std::intptr_t>(context->opaque));
  if (context->codec_type == AVMEDIA_TYPE_VIDEO && std::max(frame->width, frame->height) > max_side + 64) {
    av_log(context, AV_LOG_ERROR, "a picture of %dx%d is larger than %d a side\n", frame->width,
           frame->height, max_side);
    return AVERROR(EINVAL);
  }
  return avcodec_default_get_buffer2(context, frame, flags);
}

Status check_size(const AVStream& stream, const IngestOptions& options) {
  const AVCodecParameters& coded = *stream.codecpar;
  if (coded.codec_type != AVMEDIA_TYPE_VIDEO) return {};
  const auto pixels = std::int64_t{coded.width} * coded.height;
  if (std::max(coded.width, coded.height) <= options.max_input_side && pixels <= options.max_input_pixels)
    return {};
  return fail(
      ErrorCode::kLimit,
      fmt::format("a picture of {}x{} is too large; at most {} px a side and {} px in all are decoded; scale "
                  "it down first",
                  coded.width, coded.height, options.max_input_side, options.max_input_pixels));
}

}  // namespace

std::string codec_name(const AVStream& stream) { return avcodec_get_name(stream.codecpar->codec_id); }

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
  context->max_pixels = options.max_input_pixels;
  context->opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(options.max_input_side));
  context->get_buffer2 = take_buffer;
  context->thread_type = FF_THREAD_SLICE;
  context->thread_count = 1;  // the model needs the cores; frame threads would delay live pictures
  if (error >= 0) error = avcodec_open2(context.get(), codec, nullptr);
  if (error < 0) {
    const std::string complaint = take_last_complaint();
    return fail(ErrorCode::kBadInput,
                fmt::format("stream {}: the {} decoder refused it ({})", stream.index, codec_name(stream),
                            complaint.empty() ? error_text(error) : complaint));
  }
  return Decoder(std::move(context));
}

}  // namespace braid::ingest::ffmpeg
