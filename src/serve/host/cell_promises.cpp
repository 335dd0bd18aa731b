#include "host/cell_promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace braid::serve {

CellPromises::Promise& CellPromises::Promise::operator=(Promise&& other) noexcept {
  give_back();
  table_ = std::exchange(other.table_, nullptr);
  held_ = other.held_;
  return *this;
}

void CellPromises::Promise::give_back() {
  if (!table_) return;
  std::lock_guard lock(table_->mutex_);
  if (!held_->taken) table_->take(*held_);
  table_->held_.erase(held_);
  table_ = nullptr;
}

void CellPromises::Promise::idle(SteadyTime since) {
  if (!table_) return;
  std::lock_guard lock(table_->mutex_);
  held_->idle_since = since;
}

bool CellPromises::Promise::hold() {
  if (!table_) return false;
  std::lock_guard lock(table_->mutex_);
  held_->idle_since.reset();
  return !held_->taken;
}

bool CellPromises::Promise::taken() const {
  if (!table_) return false;
  std::lock_guard lock(table_->mutex_);
  return held_->taken;
}

CellPromises::CellPromises(int cells, int sequences, Clock& clock, Nanoseconds idle_after)
    : all_cells_(cells), all_sequences_(sequences), clock_(clock), idle_after_(idle_after) {}

void CellPromises::take(Held& held) {
  held.taken = true;
  cells_ -= held.cells;
  sequences_ -= held.sequences;
}

bool CellPromises::take_from_idle(int cells, int sequences) {
  const SteadyTime now = clock_.now();
  std::vector<Held*> idle;
  for (Held& held : held_)
    if (!held.taken && held.idle_since && now - *held.idle_since >= idle_after_) idle.push_back(&held);
  std::stable_sort(idle.begin(), idle.end(),
                   [](const Held* a, const Held* b) { return *a->idle_since < *b->idle_since; });
  std::size_t losers = 0;
  for (; losers < idle.size() && (cells > 0 || sequences > 0); ++losers) {
    cells -= idle[losers]->cells;
    sequences -= idle[losers]->sequences;
  }
  if (cells > 0 || sequences > 0) return false;
  for (std::size_t i = 0; i < losers; ++i) take(*idle[i]);
  return true;
}

Result<CellPromises::Promise> CellPromises::make(int cells, int sequences) {
  return make(cells, sequences, true);
}

Result<CellPromises::Promise> CellPromises::make_spare(int cells, int sequences) {
  return make(cells, sequences, false);
}

Result<CellPromises::Promise> CellPromises::make(int cells, int sequences, bool from_idle) {
  std::lock_guard lock(mutex_);
  const int free_cells = all_cells_ - cells_;
  const int free_sequences = all_sequences_ - sequences_;
  if ((cells > free_cells || sequences > free_sequences) &&
      !(from_idle && take_from_idle(cells - free_cells, sequences - free_sequences)))
    return fail(ErrorCode::kFull,
                fmt::format("{} KV cells and {} sequences are needed, {} and {} are not promised to others: "
                            "end a session or serve with more --kv-cells",
                            cells, sequences, free_cells, free_sequences),
                true);
  cells_ += cells;
  sequences_ += sequences;
  held_.push_back({cells, sequences, std::nullopt, false});
  return Promise(this, std::prev(held_.end()));
}

int CellPromises::cells() const {
  std::lock_guard lock(mutex_);
  return cells_;
}

int CellPromises::sequences() const {
  std::lock_guard lock(mutex_);
  return sequences_;
}

}  // namespace braid::serve
