#pragma once
// Several sources of one session, each with a name of its own.

#include <string>
#include <vector>

#include "braid/base/result.h"
#include "braid/ingest/source_spec.h"

namespace braid::serve {

/// A name that was made from a target and is taken becomes NAME-2, NAME-3, …: the first that is free. Given
/// names (`name=…`) stay as they are, wherever they stand. Errors of parse_source_spec; kUsage: one name was
/// given twice.
Result<std::vector<ingest::SourceSpec>> parse_sources(const std::vector<std::string>& texts);

/// Without opening them: errors of parse_sources; kNotFound, kBadInput: a file that isn't there, or may not
/// be read.
Status check_sources(const std::vector<std::string>& texts);

}  // namespace braid::serve
