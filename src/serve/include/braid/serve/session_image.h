#pragma once
// What of a session isn't on the model.

#include <cstdint>
#include <vector>

#include "braid/kv/timeline.h"

namespace braid::serve {

/// Enough to go on elsewhere with the same model: the KV cache is rebuilt from it. What was perceived is
/// shared, so that one is cheap to take; good for the model that made its embeddings alone.
struct SessionImage {
  std::vector<kv::Kept> timeline;
  std::uint64_t evicted = 0;  ///< chunks that left the window before
  SessionTime now;            ///< the session goes on at this time
  std::int64_t next_question = 0;
};

}  // namespace braid::serve
