// What a packet costs a source's clock: goal 5 µs.

#include <benchmark/benchmark.h>

#include "braid/sync/source_clock.h"
#include "clock/path_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

/// `path` of kPaths, packets every `interval_us`. One a half second moves the line each time: nothing costs
/// more.
void observe(benchmark::State& state) {
  const PathKind& path = kPaths[static_cast<std::size_t>(state.range(0))];
  const std::int64_t interval = state.range(1) * 1000;
  state.SetLabel(path.name);
  Dice dice(1);
  const std::vector<Sent> lap = send(path, {0, 50}, 0, 20'000 * interval, interval, dice);
  SourceClock clock({});
  std::size_t i = 0;
  std::int64_t later = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(clock.observe(lap[i].stamp + later, session(lap[i].arrival + later)));
    if (++i < lap.size()) continue;
    i = 0;
    later += static_cast<std::int64_t>(lap.size()) * interval;
  }
}
BENCHMARK(observe)->ArgsProduct({{0, 1, 2}, {1000, 20'000, 500'000}})->Unit(benchmark::kNanosecond);

/// As many as a camera of 30 frames a second sends in four days.
void ten_million_packets(benchmark::State& state) {
  for (auto _ : state) {
    Dice dice(1);
    SourceClock clock({});
    for (std::int64_t i = 0; i < 10'000'000; ++i)
      clock.observe(i * 33'000'000, session(i * 33'000'000 + i * 2'654'435'761 % 4'000'000));
    if (clock.report().resets != 0) state.SkipWithError("a steady clock was reset");
  }
}
BENCHMARK(ten_million_packets)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace braid::sync
