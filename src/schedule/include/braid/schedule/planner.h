#pragma once
// Whose rows run in the next step.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "braid/base/time.h"
#include "braid/packet/step.h"

namespace braid::schedule {

/// Rows waiting to be prefilled on one sequence, in order, emitted a few at a time. Owned by whoever asked for them;
/// the planner only reads and the owner commits. One thread.
class PrefillJob {
 public:
  PrefillJob(SequenceId sequence, Position start, Prompt prompt, RowKind kind, bool wants_logits);

  bool done() const { return rows_left_ == 0; }
  int rows_left() const { return rows_left_; }
  Position position() const { return position_; }  ///< of the next row
  SequenceId sequence() const { return sequence_; }
  RowKind kind() const { return kind_; }
  /// Rows that must go together with nothing else: those of an indivisible medium that is next. 0: none.
  int indivisible_next() const;

  /// Adds up to `max_rows` rows to the plan without moving on. Returns how many.
  int emit(StepPlan& plan, int max_rows) const;
  /// The last `rows` emitted have been computed.
  void commit(int rows);

 private:
  SequenceId sequence_;
  Position position_;
  Prompt prompt_;
  RowKind kind_;
  bool wants_logits_;
  std::size_t piece_ = 0;
  int offset_ = 0;  // rows of the piece already committed
  int rows_left_ = 0;
};

/// An answer's next row.
struct DecodeRow {
  SequenceId sequence;
  Position position = 0;
  Token token = -1;
};

/// How long a step of so many rows takes, learnt from the steps run: base + rows * slope, by recursive least squares
/// with forgetting. Starts from a guess. Pure.
class StepCost {
 public:
  StepCost(Nanoseconds base, Nanoseconds per_row);
  void observe(int rows, Nanoseconds took);
  Nanoseconds predict(int rows) const;
  /// The most rows predicted to fit; at least 1.
  int rows_within(Nanoseconds budget) const;

 private:
  double base_ns_;
  double per_row_ns_;
  double p_[2][2];  // covariance
};

struct PlanOptions {
  int max_rows = 512;                          ///< the engine's bound
  Nanoseconds step_target = Milliseconds(50);  ///< a step is planned to take at most this; cancellation waits a step
  bool perceive_beside_question = false;       ///< true where rows are nearly free (GPU)
  bool deterministic = false;                  ///< fixed chunks: one job or the decode rows a step, never mixed
  int deterministic_rows = 32;
};

/// What may run.
struct Ready {
  std::vector<DecodeRow> decodes;          ///< one a running answer
  std::vector<PrefillJob*> questions;      ///< oldest first
  std::vector<PrefillJob*> perception;     ///< oldest first, per sequence in order
  std::vector<PrefillJob*> rebuilds;
};

/// A plan and whose rows it holds, in plan order: decodes first, then shares.
struct Planned {
  StepPlan plan;
  std::size_t decodes = 0;
  struct Share {
    PrefillJob* job;
    int rows;
  };
  std::vector<Share> shares;
};

/// Decode rows first, then questions, perception and rebuilds up to what the target allows. A question is never made
/// to wait for perception rows it does not depend on; perception gets at least one row a step while answers decode,
/// so it goes on; rebuilds take what is left. Pure but for the cost model; one thread.
class Planner {
 public:
  Planner(PlanOptions options, StepCost cost);
  /// Empty plan: nothing to do. `planned` is reused, so that planning allocates nothing after warm-up.
  void plan(const Ready& ready, Planned& planned);
  StepCost& cost() { return cost_; }

 private:
  bool plan_indivisible(const Ready& ready, Planned& planned) const;
  void take(const std::vector<PrefillJob*>& jobs, int& budget, Planned& planned) const;

  PlanOptions options_;
  StepCost cost_;
};

}  // namespace braid::schedule
