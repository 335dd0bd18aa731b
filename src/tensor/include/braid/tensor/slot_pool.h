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

/// Memory that two processes share. One side, the lender, fills a slot and lends it; the other, the borrower,
/// reads it and gives it back by clearing its flag, which the lender sees when it next takes one.
struct SharedSlots {
  enum class Side : std::uint8_t { kLender, kBorrower };
  std::uint8_t* bytes = nullptr;               ///< [slots, slot_bytes]
  std::atomic<std::uint32_t>* lent = nullptr;  ///< [slots]; not 0: the borrower has it
  Side side = Side::kLender;
  std::shared_ptr<void> keeps = nullptr;  ///< let go with the last of pool and slots
};

/// Thread-safe. Memory is host memory, aligned to 64 bytes, taken on first use of each slot and kept. The
/// pool's storage lives until the last Slot is gone, even if the pool itself goes first.
class SlotPool {
 public:
  SlotPool(std::size_t slot_bytes, std::size_t slots);
  SlotPool(SharedSlots memory, std::size_t slot_bytes, std::size_t slots);
  ~SlotPool();
  SlotPool(const SlotPool&) = delete;
  SlotPool& operator=(const SlotPool&) = delete;

  /// A slot nobody holds; Error kFull (retryable) if all are held. Never blocks.
  Result<Slot> take();
  /// The slot of that number; Error kFull if somebody here holds it or there is none such.
  Result<Slot> take(std::size_t number);
  std::size_t number_of(const Slot& slot) const;
  /// Of shared memory: from now on the borrower has it, whatever becomes of `slot`.
  void lend(const Slot& slot);

  std::size_t slot_bytes() const;
  std::size_t held() const;  ///< slots somebody holds now

 private:
  friend class Slot;
  struct Store;
  std::shared_ptr<Store> store_;
};

}  // namespace braid
