#pragma once
// What of a session isn't on the model.

#include <cstdint>
#include <vector>

#include "braid/kv/timeline.h"
#include "braid/packet/question.h"

namespace braid::serve {

/// Enough to go on elsewhere with the same model: the KV cache is rebuilt from it. Embeddings are shared, so
/// that one is cheap to take; good for the model that made them alone.
struct SessionImage {
  std::vector<kv::Kept> timeline;
  std::uint64_t evicted = 0;  ///< chunks that left the window before
  SessionTime now;            ///< the session goes on at this time
  std::int64_t next_question = 0;
  std::vector<Question> unanswered;  ///< those the engine's thread has; a restored session doesn't ask them
};

}  // namespace braid::serve
