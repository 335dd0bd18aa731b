#pragma once
// Bytes as a file that has no name, for readers of files.

#include <string>
#include <utility>

#include "braid/base/result.h"

namespace braid::serve {

class MemoryFile {
 public:
  /// kResource (retryable): no memory or no descriptor is left.
  static Result<MemoryFile> holding(const std::string& bytes);
  MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();
  /// For as long as this lives.
  std::string path() const;

 private:
  explicit MemoryFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace braid::serve
