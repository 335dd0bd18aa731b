#pragma once
// Whose rows run in the next step.

#include <cstdint>
#include <span>
#include <vector>

#include "braid/base/time.h"
#include "braid/packet/step.h"
#include "braid/schedule/prefill_job.h"
#include "braid/schedule/step_cost.h"

namespace braid::schedule {

/// An answer's next row.
struct DecodeRow {
  SequenceId sequence;
  Position position = 0;
  Token token = -1;
};

struct PlanOptions {
  int max_rows = 512;  ///< the engine's bound; an indivisible medium may not be larger
  /// Rows a step is given if so many wait, whatever they are predicted to take. On an overloaded machine a
  /// step's fixed cost passes any target, and steps of one row each would make it worse.
  int min_rows = 1;
  Nanoseconds step_target = Milliseconds(
      50);  ///< a step is planned to take at most this, unless questions queue; cancellation waits a step
  /// Where several questions wait, a step may take `step_target` times their number, up to this often: a row
  /// is dearer in a small step, and each of them waits for the rows of all before it.
  int most_targets = 4;
  bool perceive_beside_question = false;  ///< true where rows are nearly free (GPU)
  bool deterministic = false;             ///< fixed chunks: one job or the decode rows a step, never mixed
  int deterministic_rows = 32;
};

/// What may run. Jobs of one sequence stand in order of position; finished ones are passed over.
struct Ready {
  std::vector<DecodeRow> decodes;       ///< one a running answer, oldest first; all want logits
  std::vector<PrefillJob*> questions;   ///< oldest first
  std::vector<PrefillJob*> awaited;     ///< perception of timelines that a question waits for; in order
  std::vector<PrefillJob*> perception;  ///< all other; oldest first, per sequence in order
  std::vector<PrefillJob*> rebuilds;
  bool question_waits = false;  ///< somebody waits for a first token: nothing idle is to begin, and with no
                                ///< answer decoding beside it a step takes all that waits for it, whatever
                                ///< the target
};

/// A plan and whose rows it holds, in plan order: decodes first, then shares.
struct Planned {
  StepPlan plan;
  std::size_t decodes = 0;  ///< the first so many of Ready's; all of them unless max_rows is smaller
  struct Share {
    PrefillJob* job;
    int rows;
    std::size_t logits;  ///< where the result has its last row's, if that row wants them
  };
  std::vector<Share> shares;
  std::size_t wanted = 0;  ///< rows that want logits
};

/// Decode rows first, then questions, perception and rebuilds up to what the target allows. A question whose
/// rest fits a step of twice the target is not cut, and where several wait a step grows with their number:
/// rows are dearer in small steps. What is awaited comes before other perception, and with no answer decoding
/// beside it a step takes all of it, whatever the target. A question is
/// never made to wait for perception rows it does not depend on; perception gets at least one row a step
/// while answers decode, so it goes on; rebuilds take what is left, and that one row where no perception
/// waits.
///
/// An indivisible medium goes alone. Between two of them runs a plan of everything else, if there is anything
/// else: so neither holds the other up for more than a step.
///
/// Deterministic: decode rows and jobs take turns, a job's rows are cut at fixed places, time plays no part.
/// Pure but for the cost model; one thread.
class Planner {
 public:
  Planner(PlanOptions options, StepCost cost);
  /// Empty plan: nothing to do. `planned` is reused, so that planning allocates nothing after warm-up.
  void plan(const Ready& ready, Planned& planned);
  StepCost& cost() { return cost_; }

 private:
  using Jobs = std::span<PrefillJob* const>;

  void plan_mixed(const Ready& ready, Planned& planned);
  void plan_deterministic(const Ready& ready, Planned& planned);
  PrefillJob* due_medium(const Ready& ready);
  void take_decodes(const Ready& ready, int at_most, Planned& planned) const;
  int whole_question(const Ready& ready, int decodes) const;
  /// Returns the rows taken.
  int take(Jobs jobs, int budget, Planned& planned);
  bool is_blocked(SequenceId sequence) const;

  PlanOptions options_;
  StepCost cost_;
  bool was_alone_ = false;           // the last plan was an indivisible medium
  bool was_decode_ = false;          // deterministic: the last plan was the decode rows
  std::vector<SequenceId> blocked_;  // a job on them stopped short: later ones must wait
};

}  // namespace braid::schedule
