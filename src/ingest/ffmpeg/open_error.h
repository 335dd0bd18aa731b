#pragma once
// Why an input could not be opened, in a sentence that says what to do.

#include "braid/base/result.h"
#include "braid/ingest/source_spec.h"

namespace braid::ingest::ffmpeg {

/// Of FFmpeg's `error` and its last complaint.
tl::unexpected<Error> open_error(const SourceSpec& spec, int error);

}  // namespace braid::ingest::ffmpeg
