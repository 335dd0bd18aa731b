#pragma once
// A LoRA adapter folded into its base model, once, so that running it costs nothing.

#include <functional>
#include <string>

#include "braid/base/result.h"

namespace braid::engine {

/// Share done, 0..1. Called often, on the calling thread.
using MergeProgress = std::function<void(double)>;

/// Writes base + alpha/rank * B*A (Hu et al., LoRA, 2021) to `out`. Matrices whose rows divide by 32 become
/// Q8_0; everything else, metadata too, stays as in the base. `out` appears complete or not at all (written
/// beside it, then renamed). Blocks: about 5 s for 135 M parameters. kNotFound, kBadInput, kMismatch (adapter
/// of another model), kUnsupported (adapter of token embeddings or expert tensors), kResource (disk).
Status merge_lora(const std::string& base, const std::string& lora, const std::string& out,
                  const MergeProgress& progress = {});

}  // namespace braid::engine
