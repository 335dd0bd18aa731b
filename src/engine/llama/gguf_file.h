#pragma once
// What a GGUF file claims to be, read before llama.cpp is asked to load it.

#include <cstdint>
#include <optional>
#include <string>

#include "braid/base/result.h"
#include "handles.h"

namespace braid::engine::llama {

/// A file's metadata and where its tensors lie. Any thread may read.
class GgufFile {
 public:
  /// kNotFound; kBadInput if it isn't a GGUF or ends before its last tensor does. `what` names it in
  /// messages.
  static Result<GgufFile> open(const std::string& path, const std::string& what);

  const std::string& path() const { return path_; }
  gguf_context* raw() const { return gguf_.get(); }
  std::optional<std::string> text(const char* key) const;
  std::optional<std::int64_t> integer(const char* key) const;
  std::optional<double> real(const char* key) const;
  bool flag(const char* key) const;  ///< false too where there is none

  std::string architecture() const { return text("general.architecture").value_or(""); }
  bool is_encoder() const { return architecture() == "clip"; }
  bool is_adapter() const { return text("general.type").value_or("") == "adapter"; }

  /// Bytes from the file's start to a tensor's data.
  std::size_t tensor_at(std::int64_t tensor) const;

 private:
  std::string path_;
  GgufHandle gguf_;
};

}  // namespace braid::engine::llama
