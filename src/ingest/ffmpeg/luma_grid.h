#pragma once
// A coarse look at a decoded picture's brightness, straight from its luma plane.

#include "braid/ingest/frame_sampler.h"
#include "handles.h"

namespace braid::ingest::ffmpeg {

/// Means over a few pixels of each grid cell, without conversion, for YUV, grey, RGB and palettes of any
/// depth (green stands for RGB's brightness). Formats without plain samples (bitmaps, floats, hardware) give
/// false.
bool read_luma_grid(const AVFrame& frame, LumaGrid& grid);

}  // namespace braid::ingest::ffmpeg
