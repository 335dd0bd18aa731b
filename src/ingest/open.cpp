#include "braid/ingest/open.h"

#include "ffmpeg/media_source.h"

namespace braid::ingest {

Result<std::unique_ptr<Source>> open_source(const SourceSpec& spec, const IngestOptions& options,
                                            Clock& clock) {
  return ffmpeg::open_media(spec, options, clock);
}

}  // namespace braid::ingest
