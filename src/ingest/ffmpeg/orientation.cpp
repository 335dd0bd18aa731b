#include "orientation.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace braid::ingest::ffmpeg {

Orientation orientation_of(const std::int32_t* matrix) {
  const std::int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (a * d == b * c) return {};
  Orientation orientation;
  orientation.transpose = std::abs(b) + std::abs(c) > std::abs(a) + std::abs(d);
  orientation.mirror_x = (orientation.transpose ? c : a) < 0;
  orientation.mirror_y = (orientation.transpose ? b : d) < 0;
  return orientation;
}

Orientation orientation_of_exif(int value) {
  switch (value) {
    case 2:
      return {false, true, false};
    case 3:
      return {false, true, true};
    case 4:
      return {false, false, true};
    case 5:
      return {true, false, false};
    case 6:
      return {true, true, false};
    case 7:
      return {true, true, true};
    case 8:
      return {true, false, true};
    default:
      return {};
  }
}

void orient_rgb(const std::uint8_t* from, int from_stride, int width, int height, Orientation orientation,
                std::uint8_t* to, int to_stride) {
  const int out_width = orientation.transpose ? height : width;
  const int out_height = orientation.transpose ? width : height;
  const std::ptrdiff_t step_x = orientation.transpose ? from_stride : 3;
  const std::ptrdiff_t step_y = orientation.transpose ? 3 : from_stride;
  for (int y = 0; y < out_height; ++y) {
    const int from_y = orientation.mirror_y ? out_height - 1 - y : y;
    const std::uint8_t* pixel =
        from + from_y * step_y + (orientation.mirror_x ? (out_width - 1) * step_x : 0);
    const std::ptrdiff_t step = orientation.mirror_x ? -step_x : step_x;
    std::uint8_t* out = to + static_cast<std::ptrdiff_t>(y) * to_stride;
    for (int x = 0; x < out_width; ++x, pixel += step, out += 3) std::memcpy(out, pixel, 3);
  }
}

}  // namespace braid::ingest::ffmpeg
