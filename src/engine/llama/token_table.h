#pragma once
// Rows of a model's token embedding table, read from its file, so that tokens can ride as embedding rows.

#include <cstdint>

#include "braid/packet/prompt.h"
#include "gguf_file.h"
#include "mapped_file.h"

namespace braid::engine::llama {

/// Shares the page cache with llama.cpp's own mapping. Any thread.
class TokenTable {
 public:
  /// kUnsupported if the file has no such table or its type can't be turned into floats.
  static Result<TokenTable> open(const GgufFile& file, int vocabulary,
                                 const char* tensor = "token_embd.weight");

  int columns() const { return columns_; }
  void row(Token token, float* out) const;  ///< [columns]; token in 0..vocabulary-1

 private:
  MappedFile bytes_;
  std::size_t begin_ = 0;
  std::size_t row_bytes_ = 0;
  int columns_ = 0;
  ggml_type type_ = GGML_TYPE_F32;

  explicit TokenTable(MappedFile bytes) : bytes_(std::move(bytes)) {}
};

}  // namespace braid::engine::llama
