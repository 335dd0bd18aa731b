#include "luma_grid.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>

namespace braid::ingest::ffmpeg {

namespace {

constexpr int kTaps = 3;  // pixels read a cell and axis

/// One component's samples in a picture of any plain format.
class Plane {
 public:
  Plane(const AVFrame& frame, const AVComponentDescriptor& component, bool big_endian,
        const std::uint8_t* palette)
      : data_(frame.data[component.plane] + component.offset),
        stride_(frame.linesize[component.plane]),
        step_(component.step),
        shift_(component.shift),
        depth_(component.depth),
        wide_(component.depth + component.shift > 8),
        high_byte_(big_endian ? 0 : 1),
        palette_(palette) {}

  int at(int x, int y) const {  // 0..255
    const std::uint8_t* bytes =
        data_ + static_cast<std::ptrdiff_t>(y) * stride_ + static_cast<std::ptrdiff_t>(x) * step_;
    if (palette_) return palette_[4 * bytes[0] + 1];
    const int value = (wide_ ? (bytes[high_byte_] << 8 | bytes[1 - high_byte_]) : bytes[0]) >> shift_;
    return depth_ >= 8 ? (value & ((1 << depth_) - 1)) >> (depth_ - 8)
                       : (value & ((1 << depth_) - 1)) * 255 / ((1 << depth_) - 1);
  }

 private:
  const std::uint8_t* data_;
  std::ptrdiff_t stride_;
  int step_, shift_, depth_;
  bool wide_;
  int high_byte_;
  const std::uint8_t* palette_;  // [256, 4] BGRA, or none
};

/// Where tap `tap` of cell `cell` lies among `length` pixels.
int place(int cell, int tap, int length) {
  const std::int64_t position =
      std::int64_t{2 * (cell * kTaps + tap) + 1} * length / (2 * kLumaGridSide * kTaps);
  return static_cast<int>(std::min<std::int64_t>(position, length - 1));
}

}  // namespace

bool read_luma_grid(const AVFrame& frame, LumaGrid& grid) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  constexpr std::uint64_t kNotPlain =
      AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT;
  if (!format || (format->flags & kNotPlain) || frame.width < 1 || frame.height < 1) return false;
  const bool palette = (format->flags & AV_PIX_FMT_FLAG_PAL) != 0;
  const int component = (format->flags & AV_PIX_FMT_FLAG_RGB) && !palette ? 1 : 0;
  if (!frame.data[format->comp[component].plane]) return false;
  const Plane plane(frame, format->comp[component], (format->flags & AV_PIX_FMT_FLAG_BE) != 0,
                    palette ? frame.data[1] : nullptr);
  for (int row = 0; row < kLumaGridSide; ++row)
    for (int column = 0; column < kLumaGridSide; ++column) {
      int sum = 0;
      for (int i = 0; i < kTaps * kTaps; ++i)
        sum += plane.at(place(column, i % kTaps, frame.width), place(row, i / kTaps, frame.height));
      grid[static_cast<std::size_t>(row) * kLumaGridSide + static_cast<std::size_t>(column)] =
          static_cast<std::uint8_t>(sum / (kTaps * kTaps));
    }
  return true;
}

}  // namespace braid::ingest::ffmpeg
