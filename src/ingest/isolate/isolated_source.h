#pragma once
// A Source whose decoding happens in a process that can do nothing else.

#include <memory>

#include "braid/ingest/open.h"

namespace braid::ingest::isolate {

/// Whether it can be handed to a worker as a descriptor. What FFmpeg fetches by itself can't: RTSP, HTTP,
/// devices.
bool can_isolate(const SourceSpec& spec);

/// As open_source(), for media and subtitles in files and pipes. kResource too: there is no worker to be had.
Result<std::unique_ptr<Source>> open_isolated(const SourceSpec& spec, const IngestOptions& options,
                                              Clock& clock);

}  // namespace braid::ingest::isolate
