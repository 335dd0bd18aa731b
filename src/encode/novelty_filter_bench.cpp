// What judging a frame costs. The goal for 1280x720 is 300 us.

#include <benchmark/benchmark.h>

#include "braid/encode/novelty_filter.h"

namespace braid::encode {
namespace {

void judge_frame(benchmark::State& state) {
  Frame frame;
  frame.source = SourceId{0};
  frame.width = static_cast<int>(state.range(0));
  frame.height = static_cast<int>(state.range(1));
  frame.stride = 3 * frame.width;
  SlotPool pool(static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(frame.height), 1);
  frame.pixels = std::move(*pool.take());
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels.data()[i] = static_cast<std::uint8_t>(i * 31 >> 4);
  NoveltyFilter filter({});
  for (auto _ : state) benchmark::DoNotOptimize(filter.judge(frame));
}
BENCHMARK(judge_frame)
    ->Args({640, 360})
    ->Args({1280, 720})
    ->Args({1920, 1080})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace braid::encode
