#pragma once
// How fast the engine alone is: encode, prefill, decode.

#include "braid/base/clock.h"
#include "braid/engine/engine.h"

namespace braid::bench {

/// One step of `rows` token rows on an empty cache, logits of the last: what `llama-bench -p` measures.
Result<Nanoseconds> time_prefill(engine::Engine& engine, Clock& clock, int rows);

/// `tokens` steps of one row from an empty cache, each token chosen greedily: what `llama-bench -n` measures,
/// and the choosing.
Result<Nanoseconds> time_decode(engine::Engine& engine, Clock& clock, int tokens);

Result<Nanoseconds> time_encode(engine::Engine& engine, Clock& clock, engine::Medium medium);

/// A tone; what it costs to encode depends on its length alone.
Utterance make_sound(Nanoseconds duration, int sample_rate);

}  // namespace braid::bench
