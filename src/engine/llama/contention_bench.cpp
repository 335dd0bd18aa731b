// What a busy loop on every core costs a token, a chunk of prefill and a picture: about its share of the CPU
// with barriers that sleep (cmake/patches), hundreds of times more without.
//
//   engine_bench --benchmark_filter=contention

#include <benchmark/benchmark.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "braid/base/clock.h"
#include "braid/engine/llama_engine.h"
#include "braid/tensor/slot_pool.h"
#include "test_model_path.h"

namespace braid::engine::llama {
namespace {

constexpr SequenceId kSequence{0};
constexpr int kHistory = 128;

/// One spinning thread pinned to each core that this process may use.
class BusyLoops {
 public:
  explicit BusyLoops(RealClock& clock) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &cores)) threads_.emplace_back(clock, "busy", [this, core] { spin(core); });
  }
  ~BusyLoops() {
    stop_ = true;
    for (Thread& thread : threads_) thread.join();
  }
  BusyLoops(const BusyLoops&) = delete;
  BusyLoops& operator=(const BusyLoops&) = delete;

 private:
  void spin(int core) const {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    while (!stop_.load(std::memory_order_relaxed)) benchmark::ClobberMemory();
  }

  std::atomic<bool> stop_{false};
  std::vector<Thread> threads_;
};

Engine& engine() {
  static Engine loaded = [] {
    LlamaOptions options;
    options.model = model_path();
    options.mmproj = mmproj_path();
    options.cells = 1024;
    auto made = load_llama(options);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
  }();
  return loaded;
}

void run(const StepPlan& plan) {
  if (const auto result = engine().decoder->step(plan); !result)
    throw std::runtime_error(result.error().message);
}

StepPlan rows(Position at, int n) {
  StepPlan plan;
  for (int i = 0; i < n; ++i)
    plan.rows.push_back({.sequence = kSequence, .position = at + i, .token = 100 + i});
  plan.rows.back().wants_logits = true;
  return plan;
}

/// Times each repetition of `work` alone; reports median and 95th percentile in ms beside the mean.
template <class Work>
void measure(benchmark::State& state, Work work) {
  RealClock clock;
  const std::unique_ptr<BusyLoops> load(state.range(0) ? new BusyLoops(clock) : nullptr);
  std::vector<double> times;
  for (auto unused : state) {
    static_cast<void>(unused);
    const SteadyTime begin = clock.now();
    work();
    times.push_back(to_ms(clock.now() - begin));
  }
  std::sort(times.begin(), times.end());
  state.counters["median_ms"] = times[times.size() / 2];
  state.counters["p95_ms"] = times[times.size() * 95 / 100];
}

void contention_decode_token(benchmark::State& state) {
  engine().decoder->free(kSequence);
  run(rows(0, kHistory));
  Position at = kHistory;
  measure(state, [&] { run(rows(at++, 1)); });
}

void contention_prefill_64(benchmark::State& state) {
  measure(state, [&] {
    engine().decoder->free(kSequence);
    run(rows(0, 64));
  });
}

void contention_encode_picture(benchmark::State& state) {
  SlotPool pool(256 * 256 * 3, 1);
  Frame frame;
  frame.width = frame.height = 256;
  frame.stride = 256 * 3;
  frame.pixels = *pool.take();
  const Medium medium = &frame;
  measure(state, [&] { benchmark::DoNotOptimize(engine().encoder->encode({&medium, 1})); });
}

BENCHMARK(contention_decode_token)->ArgName("busy")->Arg(0)->Arg(1)->Iterations(100)->UseRealTime();
BENCHMARK(contention_prefill_64)->ArgName("busy")->Arg(0)->Arg(1)->Iterations(20)->UseRealTime();
BENCHMARK(contention_encode_picture)->ArgName("busy")->Arg(0)->Arg(1)->Iterations(20)->UseRealTime();

}  // namespace
}  // namespace braid::engine::llama
