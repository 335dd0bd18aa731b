#pragma once
// What model files are and need, told before they are used.

#include <cstdint>
#include <string>

#include "braid/base/result.h"
#include "braid/engine/llama_engine.h"

namespace braid::engine {

/// What a GGUF file says of itself. Its tensors are not read.
struct GgufFacts {
  enum class Kind : std::uint8_t { kModel, kEncoders, kAdapter, kEmbedder };
  Kind kind = Kind::kModel;
  std::string name;          ///< general.name; empty: none
  std::string family;        ///< architecture, "qwen2vl"; of encoders their projectors, "qwen2.5o"
  std::string quantisation;  ///< type of most of its weights, "Q8_0"
  std::uint64_t bytes = 0;   ///< of the file
  std::uint64_t parameters = 0;
  int trained_context = 0;  ///< 0: not of a language model
  int dim = 0;              ///< row length of a model; of encoders what they make rows for
  int layers = 0;
};

/// "language model", "encoders", "adapter", "text embedder".
const char* to_string(GgufFacts::Kind kind);

/// Reads the header alone: milliseconds. kNotFound, kBadInput.
Result<GgufFacts> read_gguf(const std::string& path);

/// A model with its encoders, as load_llama() would load it with these options.
struct ModelFacts {
  GgufFacts model;
  GgufFacts encoders;  ///< without bytes: none
  bool sees = false, hears = false;
  bool can_hide_ranges = true;     ///< as in EngineInfo
  bool indivisible_media = false;  ///< as in EngineInfo
  int picture_rows = 0;            ///< of one of 640x480; 0: none are taken
  int sound_rows = 0;              ///< of a second; 0: none is taken
  int ten_seconds_rows = 0;        ///< of ten seconds: some encoders take the same for a second
  std::uint64_t weight_bytes = 0;  ///< of the model's tensors, mapped from the file
  std::uint64_t cache_bytes = 0;   ///< of the KV cache, and of states, at `cells`
  std::uint64_t work_bytes = 0;    ///< for what a step computes
  std::uint64_t encoder_bytes = 0;
};

/// Asks llama.cpp, which allocates nothing for the language model; its encoders are loaded. Blocks for as
/// long as that takes. Errors as load_llama().
Result<ModelFacts> model_facts(const LlamaOptions& options);

}  // namespace braid::engine
