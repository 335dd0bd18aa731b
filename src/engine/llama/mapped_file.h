#pragma once
// A file's bytes, read-only, mapped into memory.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "braid/base/result.h"

namespace braid::engine::llama {

/// Unmapped on destruction. Any thread may read.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);

  const std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return bytes_.get_deleter().size; }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(const std::uint8_t* bytes) const;
  };
  std::unique_ptr<const std::uint8_t, Unmap> bytes_;
};

}  // namespace braid::engine::llama
