#pragma once
// FFmpeg's cameras and sound cards.

#include "braid/base/result.h"

namespace braid::ingest::ffmpeg {

/// Makes FFmpeg's devices known; once, then nothing. kUnsupported: their library isn't there. Their library
/// brings 150 others, among them some that take 60 kB of every thread that starts after them, so it is loaded
/// when the first device is opened and not with the program.
Status load_devices();

}  // namespace braid::ingest::ffmpeg
