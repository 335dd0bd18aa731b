#include "load.h"

#include <fmt/format.h>
#include <algorithm>

#include <mutex>

#include "logging.h"

namespace braid::engine::llama {

namespace {

/// Rows of one step that may want logits: one a sequence, and some to spare for tests of drafts.
int max_outputs(const LlamaOptions& options) { return std::max(64, options.max_sequences); }

ThreadpoolHandle make_pool(int threads) {
  ggml_threadpool_params params = ggml_threadpool_params_default(threads);
  params.poll = 0;
  return ThreadpoolHandle(ggml_threadpool_new(&params));
}

Status apply_adapter(const LlamaOptions& options, llama_model* model, llama_context* context) {
  if (options.lora.empty()) return {};
  clear_fault();
  llama_adapter_lora* adapter = llama_adapter_lora_init(model, options.lora.c_str());  // freed with the model
  float scale = 1.0F;
  if (!adapter || llama_set_adapters_lora(context, &adapter, 1, &scale) != 0)
    return fail(ErrorCode::kMismatch, fmt::format("adapter '{}' doesn't fit model '{}': {}", options.lora,
                                                  options.model, last_fault()));
  return {};
}

}  // namespace

llama_context_params context_params(const LlamaOptions& options, int threads) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<std::uint32_t>(options.cells);
  params.n_batch = params.n_ubatch = static_cast<std::uint32_t>(options.max_step_rows);
  params.n_seq_max = static_cast<std::uint32_t>(options.max_sequences);
  params.n_outputs_max = static_cast<std::uint32_t>(max_outputs(options));
  params.n_threads = params.n_threads_batch = threads;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
  params.kv_unified = true;
  params.swa_full = true;  // or masked cells would be reused under forks
  params.no_perf = true;
  return params;
}

int threads_for(const LlamaOptions& options) {
  // More threads than cores would wait for one another at every barrier.
  return options.threads > 0 ? std::min(options.threads, usable_cores()) : usable_cores();
}

bool runs_on_gpu(const LlamaOptions& options) {
  return options.gpu_layers != 0 && llama_supports_gpu_offload();
}

void start_backend() {
  static std::once_flag once;
  std::call_once(once, llama_backend_init);
}

Result<std::shared_ptr<llama_model>> load_model(const LlamaOptions& options, const GgufFile& file,
                                                Weights weights) {
  start_backend();
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = options.gpu_layers;
  if (weights == Weights::kNone) {
    params.no_alloc = true;
    params.load_mode = LLAMA_LOAD_MODE_NONE;
  }
  clear_fault();
  std::shared_ptr<llama_model> model(llama_model_load_from_file(options.model.c_str(), params),
                                     llama_model_free);
  if (!model)
    return fail(ErrorCode::kUnsupported, fmt::format("llama.cpp can't load '{}' (architecture '{}'): {}",
                                                     options.model, file.architecture(), last_fault()));
  if (!llama_model_has_decoder(model.get()) || llama_model_has_encoder(model.get()))
    return fail(ErrorCode::kUnsupported, fmt::format("'{}' ('{}') is not a decoder-only language model",
                                                     options.model, file.architecture()));
  return model;
}

bool keeps_state(const llama_model* model) {
  return llama_model_is_recurrent(model) || llama_model_is_hybrid(model);
}

Result<std::unique_ptr<LlamaDecoder>> make_decoder(const LlamaOptions& options,
                                                   std::shared_ptr<llama_model> model) {
  const int threads = threads_for(options);
  clear_fault();
  ContextHandle context(llama_init_from_model(model.get(), context_params(options, threads)));
  if (!context || !llama_get_memory(context.get()))
    return fail(ErrorCode::kResource, fmt::format("no context of {} cells for '{}': {}", options.cells,
                                                  options.model, last_fault()));
  if (auto ok = apply_adapter(options, model.get(), context.get()); !ok) return tl::unexpected(ok.error());
  ThreadpoolHandle pool = make_pool(threads);
  llama_attach_threadpool(context.get(), pool.get(), nullptr);
  const DecoderLimits limits{.max_sequences = options.max_sequences,
                             .max_step_rows = options.max_step_rows,
                             .max_outputs = max_outputs(options),
                             .can_hide_ranges = !keeps_state(model.get())};
  return std::make_unique<LlamaDecoder>(std::move(model), std::move(pool), std::move(context), limits);
}

Result<std::unique_ptr<LlamaEncoder>> make_encoder(const LlamaOptions& options,
                                                   std::shared_ptr<llama_model> model) {
  mtmd_context_params params = mtmd_context_params_default();
  params.use_gpu = runs_on_gpu(options);
  params.print_timings = false;
  params.n_threads = threads_for(options);
  clear_fault();
  MtmdHandle mtmd(mtmd_init_from_file(options.mmproj.c_str(), model.get(), params));
  if (!mtmd)
    return fail(ErrorCode::kMismatch,
                fmt::format("mmproj '{}' doesn't work with model '{}': {}; give the mmproj made "
                            "for it",
                            options.mmproj, options.model, last_fault()));
  return std::make_unique<LlamaEncoder>(std::move(model), std::move(mtmd));
}

}  // namespace braid::engine::llama
