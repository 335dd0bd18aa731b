#include "braid/schedule/planner.h"

#include <benchmark/benchmark.h>

#include <deque>
#include <memory>

namespace braid::schedule {
namespace {

// Eight answers that decode beside 64 chunks of a line of time and a picture each, on four timelines.
struct Load {
  std::deque<PrefillJob> jobs;
  Ready ready;

  Load() {
    for (int i = 0; i < 8; ++i) ready.decodes.push_back({SequenceId{10 + i}, 900, 1});
    auto rows = std::make_shared<Matrix>(16, 576);
    for (int i = 0; i < 64; ++i) {
      Prompt prompt;
      prompt.append(TokenRun(8, 3));
      prompt.pieces.push_back(EmbeddingRun{rows, {}, 16, false});
      prompt.append(TokenRun(2, 3));
      jobs.emplace_back(SequenceId{i % 4}, i / 4 * 26, std::move(prompt), RowKind::kPerception, false);
      ready.perception.push_back(&jobs.back());
    }
  }
};

void plan_a_step(benchmark::State& state) {
  const Load load;
  PlanOptions options;
  options.max_rows = static_cast<int>(state.range(0));
  Planner planner(options, StepCost(Milliseconds(1), Nanoseconds(1)));
  Planned planned;
  for (auto _ : state) {
    planner.plan(load.ready, planned);
    benchmark::DoNotOptimize(planned.plan.rows.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(planned.plan.rows.size()));
}
BENCHMARK(plan_a_step)->Arg(32)->Arg(512);

void learn_a_steps_cost(benchmark::State& state) {
  StepCost cost(Milliseconds(1), Microseconds(100));
  int rows = 0;
  for (auto _ : state) {
    rows = rows % 100 + 1;
    cost.observe(rows, Microseconds(1000 + 100 * rows));
    benchmark::DoNotOptimize(cost);
  }
}
BENCHMARK(learn_a_steps_cost);

}  // namespace
}  // namespace braid::schedule
