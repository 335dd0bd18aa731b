#pragma once
// Sensor logs and text files as Sources.

#include <memory>

#include "braid/ingest/open.h"

namespace braid::ingest {

/// As open_source(), for kSensor and kText.
Result<std::unique_ptr<Source>> open_log(const SourceSpec& spec, const IngestOptions& options, Clock& clock);

}  // namespace braid::ingest
