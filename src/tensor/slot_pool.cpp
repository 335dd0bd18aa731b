#include "braid/tensor/slot_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace braid {

namespace {
constexpr std::align_val_t kAlignment{64};
struct AlignedDelete {
  void operator()(std::uint8_t* bytes) const { ::operator delete(bytes, kAlignment); }
};
}  // namespace

struct Slot::Header {
  std::atomic<int> references{0};
  std::uint8_t* bytes = nullptr;
  std::unique_ptr<std::uint8_t, AlignedDelete> owned;
  SlotPool::Store* store = nullptr;
  std::shared_ptr<SlotPool::Store> keeps_alive;  // set while held
};

struct SlotPool::Store {
  std::size_t slot_bytes = 0;
  std::mutex mutex;
  std::vector<Slot::Header> headers;
  std::vector<Slot::Header*> free;  // guarded by mutex
  SharedSlots shared;               // no bytes: the slots own theirs

  std::size_t number_of(const Slot::Header* header) const {
    return static_cast<std::size_t>(header - headers.data());
  }
  bool lent(const Slot::Header* header) const {
    return shared.lent && shared.side == SharedSlots::Side::kLender &&
           shared.lent[number_of(header)].load(std::memory_order_acquire) != 0;
  }
  Slot take(std::vector<Slot::Header*>::iterator place, const std::shared_ptr<Store>& self);
};

Slot::Slot(const Slot& other) : header_(other.header_) {
  if (header_) header_->references.fetch_add(1, std::memory_order_relaxed);
}

Slot::Slot(Slot&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}

Slot& Slot::operator=(Slot other) noexcept {
  std::swap(header_, other.header_);
  return *this;
}

std::uint8_t* Slot::data() const { return header_ ? header_->bytes : nullptr; }
std::size_t Slot::size() const { return header_ ? header_->store->slot_bytes : 0; }

void Slot::reset() {
  Header* header = std::exchange(header_, nullptr);
  if (!header || header->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The store may die with this last slot, so the pointer that keeps it alive leaves the lock first.
  const std::shared_ptr<SlotPool::Store> store = std::move(header->keeps_alive);
  {
    std::lock_guard lock(store->mutex);
    store->free.push_back(header);
  }
  // Last: the lender may lend it again at once.
  if (store->shared.lent && store->shared.side == SharedSlots::Side::kBorrower)
    store->shared.lent[store->number_of(header)].store(0, std::memory_order_release);
}

SlotPool::SlotPool(std::size_t slot_bytes, std::size_t slots) : store_(std::make_shared<Store>()) {
  store_->slot_bytes = slot_bytes;
  store_->headers = std::vector<Slot::Header>(slots);
  store_->free.reserve(slots);
  for (auto& header : store_->headers) {
    header.store = store_.get();
    store_->free.push_back(&header);
  }
}

SlotPool::SlotPool(SharedSlots memory, std::size_t slot_bytes, std::size_t slots)
    : SlotPool(slot_bytes, slots) {
  store_->shared = std::move(memory);
  for (std::size_t i = 0; i < slots; ++i)
    store_->headers[i].bytes = store_->shared.bytes + static_cast<std::ptrdiff_t>(i * slot_bytes);
}

SlotPool::~SlotPool() = default;

Slot SlotPool::Store::take(std::vector<Slot::Header*>::iterator place, const std::shared_ptr<Store>& self) {
  Slot::Header* header = *place;
  std::swap(*place, free.back());
  free.pop_back();
  if (!header->bytes) {
    header->owned.reset(static_cast<std::uint8_t*>(::operator new(slot_bytes, kAlignment)));
    header->bytes = header->owned.get();
  }
  header->references.store(1, std::memory_order_relaxed);
  header->keeps_alive = self;
  return Slot(header);
}

Result<Slot> SlotPool::take() {
  std::lock_guard lock(store_->mutex);
  auto& free = store_->free;
  // From the back: what was used last is in the caches.
  const auto found =
      std::find_if(free.rbegin(), free.rend(), [&](const auto* header) { return !store_->lent(header); });
  if (found == free.rend())
    return fail(ErrorCode::kFull,
                fmt::format("all {} slots of {} bytes are held; wait for a holder to let go",
                            store_->headers.size(), store_->slot_bytes),
                true);
  return store_->take(std::prev(found.base()), store_);
}

Result<Slot> SlotPool::take(std::size_t number) {
  std::lock_guard lock(store_->mutex);
  auto& free = store_->free;
  const auto found = std::find_if(free.begin(), free.end(),
                                  [&](const auto* header) { return store_->number_of(header) == number; });
  if (found == free.end())
    return fail(ErrorCode::kFull,
                fmt::format("slot {} of {} is held or isn't there", number, store_->headers.size()));
  return store_->take(found, store_);
}

std::size_t SlotPool::number_of(const Slot& slot) const { return store_->number_of(slot.header_); }

void SlotPool::lend(const Slot& slot) {
  store_->shared.lent[number_of(slot)].store(1, std::memory_order_release);
}

std::size_t SlotPool::slot_bytes() const { return store_->slot_bytes; }

std::size_t SlotPool::held() const {
  std::lock_guard lock(store_->mutex);
  return store_->headers.size() - store_->free.size();
}

}  // namespace braid
