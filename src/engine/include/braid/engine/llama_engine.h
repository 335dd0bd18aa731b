#pragma once
// Engine on llama.cpp: libllama for the language model and its KV cache, libmtmd for pictures and sound.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "braid/base/result.h"
#include "braid/engine/engine.h"

namespace braid::engine {

struct LlamaOptions {
  std::string model;   ///< GGUF file of the language model
  std::string mmproj;  ///< GGUF file of its encoders; empty: text only
  std::string
      lora;  ///< GGUF adapter applied live (costs 20-30 % of speed; merge_lora() doesn't); empty: none
  int threads =
      0;  ///< CPU threads a step or an encode uses; 0, or more than the process may use: as many as that
  int cells = 4096;            ///< KV cells, shared by all sequences
  int max_sequences = 16;      ///< 1..256
  int gpu_layers = -1;         ///< layers on a GPU if the build and machine have one; -1: all, 0: none
  int max_step_rows = 512;     ///< rows of one StepPlan; an indivisible medium must fit
  bool deterministic = false;  ///< refuse to load (kUnsupported) where the same step twice gives other bits
  std::optional<std::string> system;  ///< none: what the model's template inserts by itself
};

/// Loads, checks and warms a model: the first step and the first encode after it are not slower than later
/// ones. Blocks for seconds. Never ends the process for a bad file: kNotFound (no file), kBadInput (not a
/// GGUF, or cut short), kMismatch (the mmproj or adapter belongs to another model), kUnsupported (this CPU
/// lacks what the build needs, or the file's architecture), kResource (memory), kUsage (options out of
/// range).
///
/// Threads: as engine.h says. Calls of the decoder and the encoder must not overlap on a CPU (DeviceArbiter).
Result<Engine> load_llama(const LlamaOptions& options);

struct NamedEmbedder {
  std::string name;  ///< the model's: vectors of one name can be compared
  std::unique_ptr<TextEmbedder> embedder;
};

/// A model that makes vectors of texts, on the CPU with so many threads at most; a text that is longer than
/// 512 tokens, or than the model reads, is cut. Blocks for a second. Errors as load_llama(). Its calls and
/// those of a decoder or an encoder must not overlap (DeviceArbiter).
Result<NamedEmbedder> load_embedder(const std::string& model, int threads);

/// Cores this process may use: affinity and cgroup quota, at least 1.
int usable_cores();

}  // namespace braid::engine
