#include "braid/tensor/slot_pool.h"

#include <fmt/format.h>

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
  std::unique_ptr<std::uint8_t, AlignedDelete> bytes;
  SlotPool::Store* store = nullptr;
  std::shared_ptr<SlotPool::Store> keeps_alive;  // set while held
};

struct SlotPool::Store {
  std::size_t slot_bytes = 0;
  std::mutex mutex;
  std::vector<Slot::Header> headers;
  std::vector<Slot::Header*> free;  // guarded by mutex
};

Slot::Slot(const Slot& other) : header_(other.header_) {
  if (header_) header_->references.fetch_add(1, std::memory_order_relaxed);
}

Slot::Slot(Slot&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}

Slot& Slot::operator=(Slot other) noexcept {
  std::swap(header_, other.header_);
  return *this;
}

std::uint8_t* Slot::data() const { return header_ ? header_->bytes.get() : nullptr; }
std::size_t Slot::size() const { return header_ ? header_->store->slot_bytes : 0; }

void Slot::reset() {
  Header* header = std::exchange(header_, nullptr);
  if (!header || header->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The store may die with this last slot, so the pointer that keeps it alive leaves the lock first.
  const std::shared_ptr<SlotPool::Store> store = std::move(header->keeps_alive);
  std::lock_guard lock(store->mutex);
  store->free.push_back(header);
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

SlotPool::~SlotPool() = default;

Result<Slot> SlotPool::take() {
  std::lock_guard lock(store_->mutex);
  if (store_->free.empty())
    return fail(ErrorCode::kFull,
                fmt::format("all {} slots of {} bytes are held; wait for a holder to let go",
                            store_->headers.size(), store_->slot_bytes),
                true);
  Slot::Header* header = store_->free.back();
  store_->free.pop_back();
  if (!header->bytes)
    header->bytes.reset(static_cast<std::uint8_t*>(::operator new(store_->slot_bytes, kAlignment)));
  header->references.store(1, std::memory_order_relaxed);
  header->keeps_alive = store_;
  return Slot(header);
}

std::size_t SlotPool::slot_bytes() const { return store_->slot_bytes; }

std::size_t SlotPool::held() const {
  std::lock_guard lock(store_->mutex);
  return store_->headers.size() - store_->free.size();
}

}  // namespace braid
