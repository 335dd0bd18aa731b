#pragma once
// Slots for pictures in memory that a worker fills and this process reads, without a copy in between.

#include <memory>

#include "braid/tensor/slot_pool.h"
#include "isolate/channel.h"

namespace braid::ingest::isolate {

/// The memory of one pool, mapped. Its size can't change under either side.
struct SharedPool {
  std::unique_ptr<SlotPool> slots;
  Descriptor memory;  ///< for the other side
};

/// Makes it. kResource.
Result<SharedPool> make_shared_pool(std::size_t slot_bytes, std::size_t slots);
/// Maps what the other side made.
Result<std::unique_ptr<SlotPool>> map_shared_pool(int memory, std::size_t slot_bytes, std::size_t slots);

}  // namespace braid::ingest::isolate
