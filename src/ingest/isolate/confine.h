#pragma once
// What a worker may do to the machine: compute, within bounds, and speak through the descriptors that it has.

#include "isolate/wire.h"

namespace braid::ingest::isolate {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized =
    true;  // whose runtimes map terabytes, and say on standard error what they find
#else
inline constexpr bool kSanitized = false;
#endif

struct Bounds {
  std::int64_t memory_bytes = 0;  ///< of address space, beyond what the program takes itself
  Nanoseconds computing{};        ///< processor time; 0: any
  bool writes = false;            ///< to the one file that it was given
};

/// For the rest of this process's life. `filter` false: it isn't confined enough to be given anything. Of
/// system calls that a decoder has no need of, those that open files fail (EACCES) and others end the process
/// (SIGSYS).
Confinement confine(const Bounds& bounds);

/// Closes all descriptors from `first` on.
void close_from(int first);

}  // namespace braid::ingest::isolate
