#include "isolate/shared_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace braid::ingest::isolate {

namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// [slots] u32 flags, then from the next page on [slots, slot_bytes].
std::size_t flag_bytes(std::size_t slots) { return whole_pages(slots * sizeof(std::atomic<std::uint32_t>)); }

tl::unexpected<Error> no_memory(std::size_t bytes) {
  return fail(
      ErrorCode::kResource,
      fmt::format("no memory for {} bytes of pictures ({}); close other programs or lower the frame size",
                  bytes, std::strerror(errno)),
      true);
}

Result<std::unique_ptr<SlotPool>> map_pool(int memory, std::size_t slot_bytes, std::size_t slots,
                                           SharedSlots::Side side) {
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  const std::size_t size = flag_bytes(slots) + slot_bytes * slots;
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (mapped == MAP_FAILED) return no_memory(size);
  SharedSlots shared;
  shared.lent = static_cast<std::atomic<std::uint32_t>*>(mapped);
  shared.bytes = static_cast<std::uint8_t*>(mapped) + flag_bytes(slots);
  shared.side = side;
  shared.keeps = std::shared_ptr<void>(mapped, [size](void* at) { munmap(at, size); });
  return std::make_unique<SlotPool>(std::move(shared), slot_bytes, slots);
}

}  // namespace

Result<SharedPool> make_shared_pool(std::size_t slot_bytes, std::size_t slots) {
  const std::size_t size = flag_bytes(slots) + slot_bytes * slots;
  SharedPool pool;
  pool.memory = Descriptor(memfd_create("pictures", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!pool.memory || ftruncate(pool.memory.get(), static_cast<off_t>(size)) != 0 ||
      fcntl(pool.memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return no_memory(size);
  auto slots_of_it = map_pool(pool.memory.get(), slot_bytes, slots, SharedSlots::Side::kBorrower);
  if (!slots_of_it) return tl::unexpected(slots_of_it.error());
  pool.slots = *std::move(slots_of_it);
  return pool;
}

Result<std::unique_ptr<SlotPool>> map_shared_pool(int memory, std::size_t slot_bytes, std::size_t slots) {
  return map_pool(memory, slot_bytes, slots, SharedSlots::Side::kLender);
}

}  // namespace braid::ingest::isolate
