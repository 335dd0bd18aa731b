#include "scripted/cells.h"

#include <algorithm>
#include <utility>

namespace braid::engine::scripted {

bool CellStore::valid(SequenceId sequence) const {
  return sequence.valid() && index(sequence) < sequences_.size();
}

Position CellStore::end(SequenceId sequence) const {
  return held(sequence).empty() ? 0 : held(sequence).back()->position + 1;
}

void CellStore::append(SequenceId sequence, const Cell& cell) {
  ++*used_;
  sequences_[index(sequence)].emplace_back(new Cell(cell), [used = used_](const Cell* gone) {
    --*used;
    delete gone;
  });
}

void CellStore::share(SequenceId from, SequenceId to, std::span<const PositionRange> ranges) {
  auto& target = sequences_[index(to)];
  for (const auto& cell : held(from))
    for (const PositionRange& range : ranges)
      if (cell->position >= range.begin && cell->position < range.end) {
        target.push_back(cell);
        break;
      }
}

void CellStore::forget(SequenceId sequence, PositionRange range) {
  std::erase_if(sequences_[index(sequence)], [&](const auto& cell) {
    return cell->position >= range.begin && cell->position < range.end;
  });
}

int CellStore::open_sequences() const {
  return static_cast<int>(
      std::count_if(sequences_.begin(), sequences_.end(), [](const Held& held) { return !held.empty(); }));
}

}  // namespace braid::engine::scripted
