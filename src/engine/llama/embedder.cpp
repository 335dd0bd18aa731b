#include "embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "braid/engine/llama_engine.h"
#include "cpu.h"
#include "gguf_file.h"
#include "load.h"
#include "logging.h"

namespace braid::engine::llama {

namespace {

constexpr int kMostTokens = 512;
constexpr int kMostTexts = 32;  // of one pass

/// A pass's rows: texts one after the other, each a sequence of its own.
class Pass {
 public:
  void add(const TokenRun& text, llama_seq_id sequence) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      tokens_.push_back(text[i]);
      positions_.push_back(static_cast<llama_pos>(i));
      sequences_.push_back(sequence);
      counts_.push_back(1);
      outputs_.push_back(1);
    }
  }
  llama_batch batch() {
    pointers_.resize(sequences_.size());
    std::transform(sequences_.begin(), sequences_.end(), pointers_.begin(),
                   [](llama_seq_id& sequence) { return &sequence; });
    llama_batch batch{};
    batch.n_tokens = static_cast<std::int32_t>(tokens_.size());
    batch.token = tokens_.data();
    batch.pos = positions_.data();
    batch.n_seq_id = counts_.data();
    batch.seq_id = pointers_.data();
    batch.logits = outputs_.data();
    return batch;
  }

 private:
  std::vector<llama_token> tokens_;
  std::vector<llama_pos> positions_;
  std::vector<llama_seq_id> sequences_;
  std::vector<llama_seq_id*> pointers_;
  std::vector<std::int32_t> counts_;
  std::vector<std::int8_t> outputs_;
};

void write_unit(const float* vector, std::span<float> out) {
  double squares = 0;
  for (std::size_t i = 0; i < out.size(); ++i) squares += static_cast<double>(vector[i]) * vector[i];
  const double length = std::sqrt(squares);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = length > 0 ? static_cast<float>(vector[i] / length) : 0.F;
}

ContextHandle make_context(llama_model* model, int threads) {
  llama_context_params params = llama_context_default_params();
  const int trained = llama_model_n_ctx_train(model);
  params.n_ctx = static_cast<std::uint32_t>(trained > 0 ? std::min(trained, kMostTokens) : kMostTokens);
  params.n_batch = params.n_ubatch = params.n_ctx;  // without a cache a pass can't be split
  params.n_seq_max = kMostTexts;
  params.kv_unified = true;
  params.n_threads = params.n_threads_batch = threads;
  params.embeddings = true;
  params.no_perf = true;
  return ContextHandle(llama_init_from_model(model, params));
}

}  // namespace

LlamaEmbedder::LlamaEmbedder(ModelHandle model, ThreadpoolHandle pool, ContextHandle context,
                             std::string name)
    : model_(std::move(model)),
      pool_(std::move(pool)),
      context_(std::move(context)),
      name_(std::move(name)),
      dim_(llama_model_n_embd(model_.get())),
      most_tokens_(llama_n_ctx(context_.get())) {
  llama_attach_threadpool(context_.get(), pool_.get(), nullptr);
}

Result<std::unique_ptr<LlamaEmbedder>> LlamaEmbedder::make(const std::string& path, int threads) {
  if (auto ok = check_cpu(); !ok) return tl::unexpected(ok.error());
  route_logs();
  const auto file = GgufFile::open(path, "embedder");
  if (!file) return tl::unexpected(file.error());
  start_backend();
  clear_fault();
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = 0;
  ModelHandle model(llama_model_load_from_file(path.c_str(), params));
  if (!model)
    return fail(ErrorCode::kUnsupported, fmt::format("llama.cpp can't load '{}' (architecture '{}'): {}",
                                                     path, file->architecture(), last_fault()));
  const int used = std::clamp(threads, 1, usable_cores());
  ggml_threadpool_params pool_params = ggml_threadpool_params_default(used);
  pool_params.poll = 0;
  ThreadpoolHandle pool(ggml_threadpool_new(&pool_params));
  ContextHandle context = make_context(model.get(), used);
  if (!context) return fail(ErrorCode::kResource, fmt::format("no context for '{}': {}", path, last_fault()));
  const auto pooling = llama_pooling_type(context.get());
  if (pooling == LLAMA_POOLING_TYPE_NONE || pooling == LLAMA_POOLING_TYPE_RANK)
    return fail(ErrorCode::kUnsupported,
                fmt::format("'{}' is no embedder: its file names no pooling of its rows", path));
  std::string name = file->text("general.name").value_or(std::filesystem::path(path).filename().string());
  return std::unique_ptr<LlamaEmbedder>(
      new LlamaEmbedder(std::move(model), std::move(pool), std::move(context), std::move(name)));
}

TokenRun LlamaEmbedder::all_tokens_of(const std::string& text) const {
  const llama_vocab* vocab = llama_model_get_vocab(model_.get());
  TokenRun tokens(text.size() + 2);
  const int made = llama_tokenize(vocab, text.data(), static_cast<std::int32_t>(text.size()), tokens.data(),
                                  static_cast<std::int32_t>(tokens.size()), /*add_special=*/true,
                                  /*parse_special=*/false);
  tokens.resize(static_cast<std::size_t>(std::max(made, 0)));
  return tokens;
}

TokenRun LlamaEmbedder::tokens_of(const std::string& text) const {
  TokenRun tokens = all_tokens_of(text);
  if (tokens.size() > most_tokens_) {
    const Token last = tokens.back();  // the separator
    tokens.resize(most_tokens_);
    tokens.back() = last;
  }
  return tokens;
}

Status LlamaEmbedder::embed_some(std::span<const TokenRun> texts, std::size_t first, Matrix& vectors) {
  Pass pass;
  for (std::size_t i = 0; i < texts.size(); ++i) pass.add(texts[i], static_cast<llama_seq_id>(i));
  clear_fault();
  if (llama_memory_t memory = llama_get_memory(context_.get())) llama_memory_clear(memory, true);
  const int code = llama_model_has_encoder(model_.get()) || !llama_get_memory(context_.get())
                       ? llama_encode(context_.get(), pass.batch())
                       : llama_decode(context_.get(), pass.batch());
  if (code != 0)
    return fail(ErrorCode::kInternal, fmt::format("the embedder failed ({}): {}", code, last_fault()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const float* pooled = llama_get_embeddings_seq(context_.get(), static_cast<llama_seq_id>(i));
    if (!pooled) return fail(ErrorCode::kInternal, "the embedder gave no vector");
    write_unit(pooled, vectors.row(first + i));
  }
  return {};
}

Result<Matrix> LlamaEmbedder::embed(std::span<const std::string> texts) {
  std::vector<TokenRun> runs;
  runs.reserve(texts.size());
  for (const std::string& text : texts) runs.push_back(tokens_of(text));
  Matrix vectors(texts.size(), static_cast<std::size_t>(dim_));
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t end = begin, tokens = 0;
    while (end < runs.size() && end - begin < kMostTexts &&
           (end == begin || tokens + runs[end].size() <= most_tokens_))
      tokens += runs[end++].size();
    const auto some = std::span(runs).subspan(begin, end - begin);
    if (Status done = embed_some(some, begin, vectors); !done) return tl::unexpected(done.error());
    begin = end;
  }
  return vectors;
}

}  // namespace braid::engine::llama

namespace braid::engine {

Result<NamedEmbedder> load_embedder(const std::string& model, int threads) {
  auto made = llama::LlamaEmbedder::make(model, threads);
  if (!made) return tl::unexpected(made.error());
  std::string name = (*made)->name();
  return NamedEmbedder{std::move(name), std::move(*made)};
}

}  // namespace braid::engine
