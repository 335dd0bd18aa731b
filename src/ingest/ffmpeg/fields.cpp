#include "fields.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace braid::ingest::ffmpeg {

namespace {

constexpr int kTooth = 16;       // of 255: what a line must differ by
constexpr int kColumns = 64;     // that are looked at
constexpr int kRareCombs = 200;  // one pixel in so many may look like a comb by chance

}  // namespace

bool is_combed(const AVFrame& frame) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  if (!frame.interlaced_frame || !format ||
      (format->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM)))
    return false;
  const AVComponentDescriptor& luma = format->comp[0];
  const bool wide = luma.depth > 8;
  if (luma.depth < 8 || (format->flags & AV_PIX_FMT_FLAG_BE) || frame.height < 4) return false;
  const int step = std::max(1, frame.width / kColumns);
  const auto at = [&](int x, int y) {
    const std::uint8_t* bytes = frame.data[luma.plane] +
                                static_cast<std::ptrdiff_t>(y) * frame.linesize[luma.plane] +
                                static_cast<std::ptrdiff_t>(x) * luma.step + luma.offset;
    return wide ? ((bytes[0] | bytes[1] << 8) >> luma.shift) >> (luma.depth - 8) : int{bytes[0]};
  };
  int combs = 0, looked = 0;
  for (int y = 1; y + 1 < frame.height; ++y)
    for (int x = 0; x < frame.width; x += step, ++looked) {
      const int above = at(x, y - 1), here = at(x, y), below = at(x, y + 1);
      combs += std::abs(above - below) < kTooth && std::abs(2 * here - above - below) > 2 * kTooth;
    }
  return combs > looked / kRareCombs;
}

}  // namespace braid::ingest::ffmpeg
