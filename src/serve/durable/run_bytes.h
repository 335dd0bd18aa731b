#pragma once
// Embeddings as bytes of a log's record, and back.

#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "braid/packet/prompt.h"

namespace braid::serve {

std::string to_bytes(const EmbeddingRun& run);
/// Any bytes will do; doesn't throw. kBadInput: not what to_bytes() makes.
Result<EmbeddingRun> parse_run(std::string_view bytes);

}  // namespace braid::serve
