#pragma once
// Subtitle files that FFmpeg reads (SubRip, WebVTT, ASS) as a Source of text lines.

#include <memory>
#include <string>
#include <string_view>

#include "braid/ingest/open.h"

namespace braid::ingest::ffmpeg {

/// As open_source(), for kSubtitle.
Result<std::unique_ptr<Source>> open_subtitles(const SourceSpec& spec, const IngestOptions& options,
                                               Clock& clock);

/// The words of an ASS event as FFmpeg's decoders give it: without its fields and {override codes}, its line
/// breaks as line ends.
std::string words_of_ass(std::string_view event);

}  // namespace braid::ingest::ffmpeg
