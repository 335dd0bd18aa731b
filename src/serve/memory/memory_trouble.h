#pragma once
// A memory that can't be written, in words.

#include <optional>
#include <string>
#include <utility>

#include "braid/retrieve/memory.h"

namespace braid::serve {

/// Watches whether what waits for its commit can be written. One thread.
class MemoryTrouble {
 public:
  MemoryTrouble(const retrieve::Memory& memory, std::string folder)
      : memory_(memory), folder_(std::move(folder)) {}

  /// Once each time that the memory begins to fail: why.
  std::optional<Error> begun();

 private:
  const retrieve::Memory& memory_;
  const std::string folder_;
  bool in_trouble_ = false;
};

/// Commits what waits. The error says what is lost, `lost` records that couldn't be added too.
Status finish_memory(retrieve::Memory& memory, const std::string& folder, std::uint64_t lost);

}  // namespace braid::serve
