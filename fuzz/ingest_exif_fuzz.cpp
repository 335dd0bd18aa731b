// How a photo was held: any bytes give a value that can be used.

#include <cstdint>
#include <cstdlib>

#include "ffmpeg/exif.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int value = braid::ingest::ffmpeg::exif_orientation({data, size});
  if (value < 0 || value > 8) std::abort();
  return 0;
}
