#pragma once
// What a server's memories count.

#include <cstddef>
#include <cstdint>

namespace braid::serve {

/// Of all of them, since the start.
struct MemoryCounts {
  std::uint64_t written = 0, failed_commits = 0, refused = 0, forgotten = 0, waiting = 0;
  std::size_t open = 0;
  std::size_t failing = 0;  ///< that can't be written, or opened
};

}  // namespace braid::serve
