#pragma once
// Files, URLs, pipes and devices that FFmpeg reads, as a Source of pictures and sound.

#include <memory>

#include "braid/ingest/open.h"

namespace braid::ingest::ffmpeg {

/// As open_source(), for kMedia, kVideo and kAudio.
Result<std::unique_ptr<Source>> open_media(const SourceSpec& spec, const IngestOptions& options,
                                           Clock& clock);

}  // namespace braid::ingest::ffmpeg
