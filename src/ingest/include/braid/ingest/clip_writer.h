#pragma once
// Pictures as a video file: the other way of reading one.

#include <cstdint>
#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/base/time.h"

namespace braid::ingest {

struct ClipPicture {
  Nanoseconds at{};  ///< since the clip's beginning; never before the one before it
  int width = 0, height = 0;
  const std::uint8_t* rgb = nullptr;  ///< [height, width, 3], rows without gaps
};

/// Matroska with each picture as a JPEG at its time, in milliseconds; those of another size than the first
/// are scaled to it. Takes the place of a file that is there, once it is whole. Blocks. kUsage: no picture;
/// kResource: it can't be written.
Status write_clip(const std::string& path, const std::vector<ClipPicture>& pictures);

}  // namespace braid::ingest
