#pragma once
// Sentences to vectors by a BERT-like model.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/engine/engine.h"
#include "handles.h"

namespace braid::engine::llama {

/// Pooled as the model's file says. A text that is longer than the model's context is cut.
class LlamaEmbedder final : public TextEmbedder {
 public:
  /// kUnsupported: no model that pools.
  static Result<std::unique_ptr<LlamaEmbedder>> make(const std::string& path, int threads);

  int dim() const override { return dim_; }
  int most_tokens() const override { return static_cast<int>(most_tokens_); }
  int tokens(const std::string& text) const override { return static_cast<int>(all_tokens_of(text).size()); }
  const std::string& name() const { return name_; }
  Result<Matrix> embed(std::span<const std::string> texts) override;

 private:
  LlamaEmbedder(ModelHandle model, ThreadpoolHandle pool, ContextHandle context, std::string name);
  TokenRun all_tokens_of(const std::string& text) const;
  TokenRun tokens_of(const std::string& text) const;
  Status embed_some(std::span<const TokenRun> texts, std::size_t first, Matrix& vectors);

  ModelHandle model_;
  ThreadpoolHandle pool_;
  ContextHandle context_;
  const std::string name_;
  const int dim_;
  const std::size_t most_tokens_;  // of one text, and of one pass
};

}  // namespace braid::engine::llama
