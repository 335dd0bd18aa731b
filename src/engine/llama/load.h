#pragma once
// Steps of load_llama() that tests use one by one.

#include "braid/engine/llama_engine.h"
#include "decoder.h"
#include "encoder.h"
#include "gguf_file.h"

namespace braid::engine::llama {

/// Options in range, and each file of the kind that its option wants. The model's.
Result<GgufFile> open_model_files(const LlamaOptions& options);

/// llama.cpp's own set-up, once a process.
void start_backend();
enum class Weights { kMapped, kNone };  ///< kNone: header and vocabulary alone
Result<std::shared_ptr<llama_model>> load_model(const LlamaOptions& options, const GgufFile& file,
                                                Weights weights = Weights::kMapped);
/// Of the past it keeps a state, from which nothing can be taken out: recurrent and hybrid models.
bool keeps_state(const llama_model* model);
llama_context_params context_params(const LlamaOptions& options, int threads);
/// A decoder that takes tokens and embeddings in passes of their own.
Result<std::unique_ptr<LlamaDecoder>> make_decoder(const LlamaOptions& options,
                                                   std::shared_ptr<llama_model> model);
Result<std::unique_ptr<LlamaEncoder>> make_encoder(const LlamaOptions& options,
                                                   std::shared_ptr<llama_model> model);

/// True if tokens fed as rows of `table` give the logits that the same tokens give by themselves; some
/// architectures scale token embeddings or feed tokens elsewhere too. Leaves the cache empty.
bool tokens_equal_rows(llama_context* context, const TokenTable& table);

/// True if the same step twice gives the same bits. Leaves the cache empty.
bool repeats_bit_for_bit(llama_context* context);

/// Threads that a step or an encode uses.
int threads_for(const LlamaOptions& options);
bool runs_on_gpu(const LlamaOptions& options);

}  // namespace braid::engine::llama
