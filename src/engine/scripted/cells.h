#pragma once
// The content of every KV cell, by sequence.

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "braid/engine/engine.h"
#include "scripted/labels.h"

namespace braid::engine::scripted {

struct Cell {
  Position position = 0;
  std::variant<Token, MediumRow> content;
};

/// Cells shared between sequences, as in a unified KV cache. One thread.
class CellStore {
 public:
  explicit CellStore(int sequences) : sequences_(static_cast<std::size_t>(sequences)) {}

  using Held = std::vector<std::shared_ptr<const Cell>>;  // ascending positions

  bool valid(SequenceId sequence) const;
  const Held& held(SequenceId sequence) const { return sequences_[index(sequence)]; }
  Position end(SequenceId sequence) const;
  void append(SequenceId sequence, const Cell& cell);
  void share(SequenceId from, SequenceId to, std::span<const PositionRange> ranges);
  void forget(SequenceId sequence, PositionRange range);

  int used() const { return *used_; }
  int open_sequences() const;

 private:
  static std::size_t index(SequenceId sequence) { return static_cast<std::size_t>(sequence.value); }

  std::shared_ptr<int> used_ = std::make_shared<int>(0);  // cells alive; outlives the last cell
  std::vector<Held> sequences_;
};

}  // namespace braid::engine::scripted
