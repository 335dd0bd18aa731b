#pragma once
// The model that makes vectors of a memory's texts.

#include <string>

#include "braid/retrieve/memory.h"

namespace braid::serve {

/// `choice`: a GGUF file, "off", or empty: the default one, where it was prepared. One thread, so that it
/// takes turns with the engine's by the scheduler's rules and nobody spins for it. Errors of load_embedder().
Status add_embedder(const std::string& choice, retrieve::MemoryOptions& options);

}  // namespace braid::serve
