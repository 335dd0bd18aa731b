#include "braid/schedule/planner.h"

#include <algorithm>
#include <numeric>

namespace braid::schedule {

namespace {

PrefillJob* first_unfinished(std::span<PrefillJob* const> jobs) {
  const auto found =
      std::find_if(jobs.begin(), jobs.end(), [](const PrefillJob* job) { return !job->done(); });
  return found == jobs.end() ? nullptr : *found;
}

int waiting(std::span<PrefillJob* const> jobs) {
  return static_cast<int>(
      std::count_if(jobs.begin(), jobs.end(), [](const PrefillJob* job) { return !job->done(); }));
}

int rows_left(std::span<PrefillJob* const> jobs) {
  return std::accumulate(jobs.begin(), jobs.end(), 0,
                         [](int sum, const PrefillJob* job) { return sum + job->rows_left(); });
}

void add_share(PrefillJob* job, int max_rows, Planned& planned) {
  const int rows = job->emit(planned.plan, max_rows);
  if (rows == 0) return;
  planned.shares.push_back({job, rows, planned.wanted});
  if (planned.plan.rows.back().wants_logits) ++planned.wanted;
}

void plan_alone(PrefillJob* job, Planned& planned) {
  planned.plan.non_causal = true;
  add_share(job, job->indivisible_next(), planned);
}

}  // namespace

Planner::Planner(PlanOptions options, StepCost cost) : options_(options), cost_(cost) {}

void Planner::plan(const Ready& ready, Planned& planned) {
  planned.plan.rows.clear();
  planned.plan.non_causal = false;
  planned.decodes = 0;
  planned.shares.clear();
  planned.wanted = 0;
  if (options_.deterministic) return plan_deterministic(ready, planned);

  PrefillJob* medium = due_medium(ready);
  if (!medium || was_alone_) plan_mixed(ready, planned);
  was_alone_ = medium && planned.plan.rows.empty();
  if (was_alone_) plan_alone(medium, planned);
}

// The indivisible medium whose turn it is. None while a question has rows that can run at once.
PrefillJob* Planner::due_medium(const Ready& ready) {
  if (PrefillJob* question = first_unfinished(ready.questions))
    if (question->indivisible_next() == 0) return nullptr;
  blocked_.clear();
  for (const auto* jobs : {&ready.questions, &ready.awaited, &ready.perception, &ready.rebuilds})
    for (PrefillJob* job : *jobs) {
      if (job->done() || is_blocked(job->sequence())) continue;
      if (job->indivisible_next() > 0) return job;
      blocked_.push_back(job->sequence());
    }
  return nullptr;
}

void Planner::plan_mixed(const Ready& ready, Planned& planned) {
  blocked_.clear();
  const bool jobs_wait = first_unfinished(ready.questions) || first_unfinished(ready.awaited) ||
                         first_unfinished(ready.perception) || first_unfinished(ready.rebuilds);
  const int reserved = jobs_wait && options_.max_rows > 1 ? 1 : 0;
  take_decodes(ready, options_.max_rows - reserved, planned);

  const int decodes = static_cast<int>(planned.decodes);
  const bool all_at_once = ready.question_waits && ready.decodes.empty();
  const int within = std::max(options_.min_rows, cost_.rows_within(options_.step_target));
  const int questions = std::clamp(waiting(ready.questions), 1, std::max(options_.most_targets, 1));
  const int for_questions = std::max(within, cost_.rows_within(questions * options_.step_target));
  const int wanted = all_at_once ? std::max(within, rows_left(ready.awaited)) : within;
  const int target = std::min(options_.max_rows, wanted);
  int room = options_.max_rows - decodes;
  int budget = std::clamp(target - decodes, std::min(1, room), room);
  const int ask = all_at_once ? room : std::clamp(for_questions - decodes, budget, room);
  const int asked = take(ready.questions, std::max(ask, whole_question(ready, decodes)), planned);
  if (asked > 0 && !options_.perceive_beside_question) return;
  room -= asked;
  budget = std::max(budget - asked, std::min(1, room));
  budget -= take(ready.awaited, budget, planned);
  budget -= take(ready.perception, budget, planned);
  // What a question waits for isn't slowed by what it doesn't.
  if (!all_at_once || planned.plan.rows.empty()) take(ready.rebuilds, std::min(budget, within), planned);
}

// Rows of the oldest question, if all that is left of it fits a step of twice the target: two steps would
// hold the decoding answers up for longer, since a row is dearer in a small step.
int Planner::whole_question(const Ready& ready, int decodes) const {
  const PrefillJob* question = first_unfinished(ready.questions);
  if (!question || question->indivisible_next() > 0) return 0;
  const int most = std::min(options_.max_rows, cost_.rows_within(2 * options_.step_target));
  return decodes + question->rows_left() <= most ? question->rows_left() : 0;
}

void Planner::take_decodes(const Ready& ready, int at_most, Planned& planned) const {
  planned.decodes = std::min(ready.decodes.size(), static_cast<std::size_t>(std::max(at_most, 0)));
  for (std::size_t i = 0; i < planned.decodes; ++i) {
    const DecodeRow& decode = ready.decodes[i];
    Row row;
    row.sequence = decode.sequence;
    row.position = row.y = row.x = decode.position;
    row.token = decode.token;
    row.wants_logits = true;
    row.kind = RowKind::kDecode;
    planned.plan.rows.push_back(row);
  }
  planned.wanted = planned.decodes;
}

int Planner::take(Jobs jobs, int budget, Planned& planned) {
  int taken = 0;
  for (PrefillJob* job : jobs) {
    if (taken == budget) break;
    if (job->done() || is_blocked(job->sequence())) continue;
    int rows = 0;
    if (job->indivisible_next() == 0) {
      add_share(job, budget - taken, planned);
      rows = planned.shares.back().rows;
    }
    if (rows < job->rows_left()) blocked_.push_back(job->sequence());
    taken += rows;
  }
  return taken;
}

bool Planner::is_blocked(SequenceId sequence) const {
  return std::find(blocked_.begin(), blocked_.end(), sequence) != blocked_.end();
}

void Planner::plan_deterministic(const Ready& ready, Planned& planned) {
  PrefillJob* job = first_unfinished(ready.questions);
  if (!job) job = first_unfinished(ready.awaited);
  if (!job) job = first_unfinished(ready.perception);
  if (!job) job = first_unfinished(ready.rebuilds);
  was_decode_ = !ready.decodes.empty() && (!job || !was_decode_);
  if (was_decode_)
    take_decodes(ready, options_.max_rows, planned);
  else if (job && job->indivisible_next() > 0)
    plan_alone(job, planned);
  else if (job)
    add_share(job, std::min(options_.deterministic_rows, options_.max_rows), planned);
}

}  // namespace braid::schedule
