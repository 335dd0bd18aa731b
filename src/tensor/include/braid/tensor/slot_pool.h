#pragma once
// A fixed number of equal byte buffers for pixels and samples, so that the per-frame path allocates nothing.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "braid/base/result.h"

namespace braid {

class SlotPool;

/// Shared ownership of one buffer of a pool, or of nothing. Copying counts up, the last copy gives the buffer
/// back. Whoever must keep the bytes longer than the window copies them. Each handle is used by one thread at
/// a time; different handles to one slot may be used by different threads, reading only.
class Slot {
 public:
  Slot() = default;
  Slot(const Slot& other);
  Slot(Slot&& other) noexcept;
  Slot& operator=(Slot other) noexcept;
  ~Slot() { reset(); }

  explicit operator bool() const { return header_ != nullptr; }
  std::uint8_t* data() const;
  std::size_t size() const;  ///< bytes
  void reset();

 private:
  friend class SlotPool;
  struct Header;
  explicit Slot(Header* header) : header_(header) {}
  Header* header_ = nullptr;
};

/// Thread-safe. Memory is host memory, aligned to 64 bytes, taken on first use of each slot and kept. The
/// pool's storage lives until the last Slot is gone, even if the pool itself goes first.
class SlotPool {
 public:
  SlotPool(std::size_t slot_bytes, std::size_t slots);
  ~SlotPool();
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  /// A slot nobody holds; Error kFull (retryable) if all are held. Never blocks.
  Result<Slot> take();

  std::size_t slot_bytes() const;
  std::size_t held() const;  ///< slots somebody holds now

 private:
  friend class Slot;
  struct Store;
  std::shared_ptr<Store> store_;
};

}  // namespace braid
