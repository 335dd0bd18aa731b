#pragma once
// One stream's decoder, with limits on what it may allocate.

#include "braid/base/result.h"
#include "braid/ingest/open.h"
#include "handles.h"

namespace braid::ingest::ffmpeg {

/// One thread.
class Decoder {
 public:
  /// kUnsupported: no decoder; kLimit: the picture is too large.
  static Result<Decoder> open(const AVStream& stream, const IngestOptions& options);

  /// Null: the end. 0, or an AVERROR; the packet's frames are then to be received.
  int send(const AVPacket* packet) { return avcodec_send_packet(context_.get(), packet); }
  /// 0; AVERROR(EAGAIN) or AVERROR_EOF when there is none; another AVERROR for damage.
  int receive(AVFrame& frame) { return avcodec_receive_frame(context_.get(), &frame); }

 private:
  /// Of one picture; asked before it is allocated.
  struct Limits {
    int max_side = 0;
    std::int64_t max_bytes = 0;
  };
  static int take_buffer(AVCodecContext* context, AVFrame* frame, int flags);

  Decoder(std::unique_ptr<Limits> limits, CodecPtr context)
      : limits_(std::move(limits)), context_(std::move(context)) {}
  std::unique_ptr<Limits> limits_;  // the context points there
  CodecPtr context_;
};

/// "h264", for messages.
std::string codec_name(const AVStream& stream);

}  // namespace braid::ingest::ffmpeg
