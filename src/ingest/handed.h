#pragma once
// What a worker process is given in place of names: it can open nothing.

#include <cstddef>
#include <functional>

#include "braid/base/result.h"
#include "braid/tensor/slot_pool.h"

namespace braid::ingest {

/// Descriptors are open for as long as the process lives.
struct Handed {
  int input = -1;  ///< of the source: a file that can be gone back in, or a pipe
  int spool = -1;  ///< an empty file without a name, for a pipe that must be read to its end first; -1: none
  /// Room for a picture of so many bytes. kFull: all is held.
  std::function<Result<Slot>(std::size_t)> take_slot;
};

}  // namespace braid::ingest
