#pragma once
// What is known of sessions that outlive the process.

#include <cstddef>
#include <cstdint>

namespace braid::serve {

struct DurabilityCounts {
  std::uint64_t images = 0;    ///< asked of live sessions
  std::uint64_t written = 0;   ///< snapshots
  std::uint64_t failed = 0;    ///< that could not be: disk or budget full
  std::uint64_t left_out = 0;  ///< chunks that found no room, at each snapshot
  std::uint64_t refused = 0;   ///< slots, snapshots and records that were damaged
  std::uint64_t resumed = 0;   ///< sessions
  std::uint64_t bytes = 0;     ///< kept now
  std::size_t resumable = 0;   ///< sessions that wait for their client now
};

}  // namespace braid::serve
