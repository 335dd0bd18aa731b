#pragma once
// How a photo was held, where FFmpeg doesn't read it: EXIF in PNG (its chunk eXIf) and TIFF. Pure.

#include <cstdint>
#include <span>

namespace braid::ingest::ffmpeg {

/// Tag 274 of a PNG or TIFF file's bytes, 1 to 8; 0: there is none, or these are other bytes.
int exif_orientation(std::span<const std::uint8_t> file);

}  // namespace braid::ingest::ffmpeg
