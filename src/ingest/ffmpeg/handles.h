#pragma once
// FFmpeg's raw handles as owners, and its error numbers as text.

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

#include "braid/base/time.h"

namespace braid::ingest::ffmpeg {

template <auto Free>
struct Delete {
  template <class T>
  void operator()(T* handle) const {
    Free(&handle);
  }
};

struct DeleteSws {
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};

using FramePtr = std::unique_ptr<AVFrame, Delete<av_frame_free>>;
using PacketPtr = std::unique_ptr<AVPacket, Delete<av_packet_free>>;
using CodecPtr = std::unique_ptr<AVCodecContext, Delete<avcodec_free_context>>;
using FormatPtr = std::unique_ptr<AVFormatContext, Delete<avformat_close_input>>;
using SwrPtr = std::unique_ptr<SwrContext, Delete<swr_free>>;
using SwsPtr = std::unique_ptr<SwsContext, DeleteSws>;

inline FramePtr make_frame() { return FramePtr(av_frame_alloc()); }
inline PacketPtr make_packet() { return PacketPtr(av_packet_alloc()); }

/// An AVDictionary that lives as long as this.
class Dictionary {
 public:
  Dictionary() = default;
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;
  ~Dictionary() { av_dict_free(&entries_); }
  void set(const char* key, const std::string& value) { av_dict_set(&entries_, key, value.c_str(), 0); }
  AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

/// "Invalid data found when processing input" for AVERROR_INVALIDDATA.
inline std::string error_text(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  return text;
}

/// `ticks` of `base` in nanoseconds; AV_NOPTS_VALUE where that has no meaning or is beyond 73 years.
inline std::int64_t to_ns(std::int64_t ticks, AVRational base) {
  constexpr std::int64_t kMost = INT64_MAX / 4;
  if (ticks == AV_NOPTS_VALUE || base.num <= 0 || base.den <= 0) return AV_NOPTS_VALUE;
  const std::int64_t ns = av_rescale_q(ticks, base, AVRational{1, 1'000'000'000});
  return ns >= -kMost && ns <= kMost ? ns : AV_NOPTS_VALUE;
}

}  // namespace braid::ingest::ffmpeg
