#pragma once
// An engine that computes nothing, so that what is left is Braid's own work.

#include "braid/engine/engine.h"

namespace braid::bench {

/// Keeps the real model's tokenizer and dimensions; encodes give rows of zeros and steps give logits of zeros
/// at once. What happens inside its calls is marked as not ours (allocations.h).
engine::Engine idle_engine(engine::Engine real, int rows_per_frame);

}  // namespace braid::bench
