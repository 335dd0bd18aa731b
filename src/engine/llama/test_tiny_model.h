#pragma once
// For tests: a llama-architecture model of random float weights. It says nothing sensible, but loads in
// milliseconds, and without quantised sums between, equal contexts give equal logits to the fourth digit.

#include <memory>
#include <string>

#include "load.h"

namespace braid::engine::llama {

inline constexpr int kTinyVocabulary = 512;

/// Writes a model without tokenizer whose rows are `dim` long (a multiple of 32).
void write_tiny_model(const std::string& path, int dim, unsigned seed = 1);

/// Such a model in a file that lives as long as it, and options that name it.
class TinyModel {
 public:
  explicit TinyModel(int dim = 64, int cells = 512);
  ~TinyModel();
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;

  const LlamaOptions& options() const { return options_; }
  const GgufFile& file() const { return *file_; }
  std::shared_ptr<llama_model> model() const { return model_; }
  /// Takes tokens and embeddings in one pass, or in passes of their own.
  std::unique_ptr<LlamaDecoder> decoder(bool one_pass) const;

 private:
  LlamaOptions options_;
  std::unique_ptr<GgufFile> file_;
  std::shared_ptr<llama_model> model_;
};

}  // namespace braid::engine::llama
