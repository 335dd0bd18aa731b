#pragma once
// A GGUF file written tensor by tensor, so that only one is in memory at a time.

#include <cstdio>
#include <memory>
#include <string>

#include "braid/base/result.h"
#include "handles.h"

namespace braid::engine::llama {

/// Writes beside `path` and renames when complete; destroyed before that, it leaves nothing behind.
class GgufWriter {
 public:
  /// `layout` names all tensors in order, with their final types; borrowed.
  static Result<GgufWriter> create(const std::string& path, const gguf_context* layout);
  GgufWriter(GgufWriter&&) = default;
  ~GgufWriter();

  /// The next tensor's bytes, padded to the file's alignment.
  Status append(const void* data, std::size_t bytes);
  Status finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  GgufWriter(std::string path, const gguf_context* layout);
  Status failed() const;

  std::string path_;
  std::string unfinished_;  // empty once renamed
  const gguf_context* layout_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace braid::engine::llama
