#include "braid/ingest/clip_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "handles.h"

namespace braid::ingest {

namespace {

using namespace ffmpeg;

constexpr AVRational kMilliseconds{1, 1000};

struct CloseOutput {
  void operator()(AVFormatContext* context) const {
    if (context->pb) avio_closep(&context->pb);
    avformat_free_context(context);
  }
};

/// One file that is being written.
class ClipFile {
 public:
  explicit ClipFile(std::string path) : path_(std::move(path)) {}

  Status write(const std::vector<ClipPicture>& pictures) {
    if (Status opened = open(pictures.front()); !opened) return opened;
    for (const ClipPicture& picture : pictures)
      if (Status added = add(picture); !added) return added;
    if (const int error = av_write_trailer(output_.get()); error < 0) return failed("ended", error);
    return {};
  }

 private:
  Status failed(const char* what, int error) const {
    return fail(ErrorCode::kResource,
                fmt::format("the clip {} can't be {}: {}", path_, what, error_text(error)));
  }

  Status open(const ClipPicture& first) {
    const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!codec || !encoder_) return failed("encoded", AVERROR_ENCODER_NOT_FOUND);
    encoder_->width = first.width;
    encoder_->height = first.height;
    encoder_->pix_fmt = AV_PIX_FMT_YUVJ420P;
    encoder_->color_range = AVCOL_RANGE_JPEG;
    encoder_->time_base = kMilliseconds;
    encoder_->flags |= AV_CODEC_FLAG_QSCALE;
    encoder_->global_quality = 3 * FF_QP2LAMBDA;  // of 2 to 31: little is lost
    if (const int error = avcodec_open2(encoder_.get(), codec, nullptr); error < 0)
      return failed("encoded", error);
    AVFormatContext* output = nullptr;
    int error = avformat_alloc_output_context2(&output, nullptr, "matroska", path_.c_str());
    output_.reset(output);
    if (error < 0) return failed("written", error);
    stream_ = avformat_new_stream(output_.get(), nullptr);
    if (!stream_) return failed("written", AVERROR(ENOMEM));
    stream_->time_base = kMilliseconds;
    avcodec_parameters_from_context(stream_->codecpar, encoder_.get());
    error = avio_open(&output_->pb, path_.c_str(), AVIO_FLAG_WRITE);
    if (error >= 0) error = avformat_write_header(output_.get(), nullptr);
    return error < 0 ? failed("written", error) : Status();
  }

  Status add(const ClipPicture& picture) {
    const FramePtr frame = make_frame();
    frame->format = encoder_->pix_fmt;
    frame->width = encoder_->width;
    frame->height = encoder_->height;
    frame->quality = encoder_->global_quality;
    if (const int error = av_frame_get_buffer(frame.get(), 0); error < 0) return failed("encoded", error);
    scaler_.reset(sws_getCachedContext(scaler_.release(), picture.width, picture.height, AV_PIX_FMT_RGB24,
                                       frame->width, frame->height, AV_PIX_FMT_YUVJ420P, SWS_BILINEAR,
                                       nullptr, nullptr, nullptr));
    if (!scaler_) return failed("encoded", AVERROR(EINVAL));
    const int stride = 3 * picture.width;
    sws_scale(scaler_.get(), &picture.rgb, &stride, 0, picture.height, frame->data, frame->linesize);
    // Matroska tells milliseconds apart; two pictures of one would be out of order.
    last_ = std::max(std::chrono::round<Milliseconds>(picture.at).count(), last_ + 1);
    frame->pts = last_;
    int error = avcodec_send_frame(encoder_.get(), frame.get());
    const PacketPtr packet = make_packet();
    if (error >= 0) error = avcodec_receive_packet(encoder_.get(), packet.get());
    if (error < 0) return failed("encoded", error);
    packet->stream_index = stream_->index;
    av_packet_rescale_ts(packet.get(), kMilliseconds, stream_->time_base);
    error = av_interleaved_write_frame(output_.get(), packet.get());
    return error < 0 ? failed("written", error) : Status();
  }

  const std::string path_;
  CodecPtr encoder_;
  std::unique_ptr<AVFormatContext, CloseOutput> output_;
  AVStream* stream_ = nullptr;  // output_'s
  SwsPtr scaler_;
  std::int64_t last_ = -1;  // ms
};

}  // namespace

Status write_clip(const std::string& path, const std::vector<ClipPicture>& pictures) {
  if (pictures.empty()) return fail(ErrorCode::kUsage, "a clip needs a picture");
  const std::string part = path + ".part";
  Status written = ClipFile(part).write(pictures);
  if (written && std::rename(part.c_str(), path.c_str()) != 0)
    written = fail(ErrorCode::kResource, fmt::format("the clip {} can't take its name", path));
  if (!written) std::remove(part.c_str());
  return written;
}

}  // namespace braid::ingest
