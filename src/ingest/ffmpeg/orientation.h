#pragma once
// How a coded picture has to be turned to stand upright. Pure.

#include <cstdint>

namespace braid::ingest::ffmpeg {

/// One of the eight ways to put a rectangle on its own grid: transpose first, then mirror.
struct Orientation {
  bool transpose = false;  ///< rows become columns
  bool mirror_x = false;   ///< then left becomes right
  bool mirror_y = false;   ///< then top becomes bottom

  bool upright() const { return !transpose && !mirror_x && !mirror_y; }
  bool operator==(const Orientation&) const = default;
};

/// From a display matrix (9 values, 16.16 fixed point, as in ISO/IEC 14496-12): x' = a x + c y, y' = b x + d
/// y. Other angles go to the nearest right one; a matrix without effect or meaning is upright.
Orientation orientation_of(const std::int32_t* matrix);

/// From EXIF's tag 274, 1 to 8; others are upright.
Orientation orientation_of_exif(int value);

/// Writes `from` [height, width, 3] to `to` ([width, height, 3] where it transposes). Rows are so many bytes
/// apart.
void orient_rgb(const std::uint8_t* from, int from_stride, int width, int height, Orientation orientation,
                std::uint8_t* to, int to_stride);

}  // namespace braid::ingest::ffmpeg
