#pragma once
// Rows waiting to be prefilled.

#include <cstddef>

#include "braid/base/time.h"
#include "braid/packet/step.h"

namespace braid::schedule {

/// Rows waiting to be prefilled on one sequence, in order, emitted a few at a time. Owned by whoever asked
/// for them; the planner only reads and the owner commits. One thread. What breaks a rule below is
/// std::logic_error.
class PrefillJob {
 public:
  /// `wants_logits`: of the last row. A medium's grid, if it has one, has a position for each row. `since`:
  /// when somebody began to wait for it.
  PrefillJob(SequenceId sequence, Position start, Prompt prompt, RowKind kind, bool wants_logits,
             SteadyTime since = {});

  bool done() const { return rows_left_ == 0; }
  int rows_left() const { return rows_left_; }
  /// Of the next row; inside a medium with a grid, of the medium's first. When done, one past the prompt.
  Position position() const;
  SequenceId sequence() const { return sequence_; }
  RowKind kind() const { return kind_; }
  SteadyTime since() const { return since_; }
  /// Somebody waits for it since then.
  void wait_since(SteadyTime since) { since_ = since; }
  /// Rows that must go together with nothing else: those of an indivisible medium that is next. 0: none.
  int indivisible_next() const;

  /// Adds up to `max_rows` rows to the plan without moving on. Returns how many. Stops before an indivisible
  /// medium; one that is next goes whole, or not at all where max_rows is smaller.
  int emit(StepPlan& plan, int max_rows) const;
  /// The last `rows` emitted have been computed.
  void commit(int rows);

 private:
  void skip_empty();

  SequenceId sequence_;
  Position base_;  // of the piece that is next
  Prompt prompt_;
  RowKind kind_;
  bool wants_logits_;
  SteadyTime since_;
  std::size_t piece_ = 0;
  int offset_ = 0;  // rows of the piece already committed
  int rows_left_ = 0;
};

}  // namespace braid::schedule
