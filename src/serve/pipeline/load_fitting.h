#pragma once
// A pipeline's file for a session that is to be made.

#include <string>
#include <vector>

#include "braid/serve/pipeline.h"

namespace braid::serve {

/// Loads it, and looks whether it fits: its sources are among these (as `braid watch` takes them), its
/// secrets are set, its folders can be written to, and what its stages need is there. Errors of
/// load_pipeline(), parse_sources() and read_secret(); kUsage, kResource.
Result<PipelinePlan> load_fitting_pipeline(const std::string& file, const std::vector<std::string>& sources,
                                           bool memory);

}  // namespace braid::serve
