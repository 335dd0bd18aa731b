#pragma once
// Which cells of a KV cache exist and which sequences hold them. Pure arithmetic: the engine's cells follow
// it, and capacity is decided here, before the engine is asked.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "braid/base/ids.h"
#include "braid/base/result.h"
#include "braid/packet/prompt.h"

namespace braid::kv {

/// Positions [begin, end).
struct Range {
  Position begin = 0;
  Position end = 0;
  auto operator<=>(const Range&) const = default;
};

/// Cells are held by ranges: a fork shares its parent's, a cell is free when no sequence holds it. One
/// thread. A sequence that isn't open is a programmer's error: std::logic_error, or kInternal where a Status
/// comes back.
class Ledger {
 public:
  explicit Ledger(int capacity, int max_sequences);

  /// A sequence id nobody uses, the lowest; kFull (retryable) if none is left.
  Result<SequenceId> open();
  /// Its cells become free where no other sequence holds them; the id may be given again.
  void close(SequenceId sequence);

  /// `cells` new cells at `range` (cells == positions but for M-RoPE media). kFull (retryable) if they don't
  /// fit; kInternal if the range overlaps the sequence's positions. An empty range: rows of a medium that
  /// advances the sequence only with its last ones; what is appended there next joins them.
  Status append(SequenceId sequence, Range range, int cells);
  /// `to` (open and empty) shares what `from` holds in `ranges` (ascending, disjoint; cut at run borders of
  /// media). kInternal, and nothing shared, where that doesn't hold.
  Status fork(SequenceId from, SequenceId to, std::span<const Range> ranges);
  /// Takes a range out of a sequence. It must not cut a medium: std::logic_error.
  void forget(SequenceId sequence, Range range);

  int capacity() const { return capacity_; }
  int used() const { return used_; }        ///< cells held by anyone: the union
  int cells(SequenceId sequence) const;     ///< cells it holds, shared ones too
  Position end(SequenceId sequence) const;  ///< one past its last position
  int sequences() const;                    ///< open ones

 private:
  struct Run {  // a stretch of cells appended at once, cut wherever a fork or forget needed it
    Range range;
    int cells = 0;
    std::int64_t id = 0;

    bool one_cell_a_position() const { return cells == range.end - range.begin; }
  };
  struct Holders {
    int cells = 0;
    int count = 0;
  };
  using Runs = std::vector<Run>;

  bool is_open(SequenceId sequence) const;
  Runs& runs(SequenceId sequence);
  const Runs& runs(SequenceId sequence) const;
  bool can_cut(const Runs& runs, Position at) const;
  void cut(SequenceId sequence, Position at);
  Status check_fork(SequenceId from, SequenceId to, std::span<const Range> ranges) const;
  bool extend(Run& last, Range range, int cells);
  void drop(const Run& run);

  int capacity_;
  int used_ = 0;
  std::vector<Runs> runs_;  // by sequence, ascending
  std::vector<bool> open_;
  std::map<std::int64_t, Holders> holders_;  // by run id
  std::int64_t next_run_ = 0;
};

}  // namespace braid::kv
