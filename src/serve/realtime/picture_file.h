#pragma once
// A picture file as a frame.

#include <string>

#include "braid/ingest/open.h"

namespace braid::serve {

/// Upright and within the options' sizes, which are checked before it is decoded; blocks for that. kBadInput,
/// kUnsupported, kLimit. `captured` and `trace` are the caller's to set.
Result<Frame> read_picture(const std::string& bytes, const ingest::IngestOptions& options, Clock& clock);

}  // namespace braid::serve
