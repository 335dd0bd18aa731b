#pragma once
// Which of a container's streams are used, and where their common time begins.

#include <memory>
#include <string>
#include <vector>

#include "input.h"
#include "track.h"

namespace braid::ingest::ffmpeg {

/// The streams in use, pictures first; all others are set to be skipped.
struct Streams {
  std::vector<std::unique_ptr<Track>> tracks;
  std::vector<Error> unusable;  ///< streams wanted but not to be had, where others are
  std::string description;      ///< "mov, h264 640x360 25 fps, aac 44100 Hz stereo"
  Nanoseconds duration{};       ///< from session time 0; 0: unknown
  std::int64_t origin_ns = 0;   ///< container time that is session time 0

  Track* of(int stream_index) const;
};

/// By the spec's numbers, else FFmpeg's choice of the best. Errors as open_source().
Result<Streams> choose_streams(Input& input, const SourceSpec& spec, const IngestOptions& options);

}  // namespace braid::ingest::ffmpeg
