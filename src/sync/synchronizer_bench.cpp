// What order costs: a frame and a reading pass a synchronizer with four sources, sound among them.

#include <benchmark/benchmark.h>

#include "packets_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

void frame_and_reading(benchmark::State& state) {
  RealClock clock;
  std::int64_t out = 0;
  const auto speech = make_energy_detector();
  Synchronizer sync({}, clock, speech.get(), [&](const Timed&) { ++out; });
  sync.add_source(SourceId{0}, {true, true, false, false}, false);
  sync.add_source(SourceId{1}, kReadingsOnly, false);
  sync.add_source(SourceId{2}, kTextOnly, true);
  sync.add_source(SourceId{3}, kVideoOnly, true);
  double now = 0;
  for (auto _ : state) {
    sync.push(SourceId{0}, frame_at(now));
    sync.push(SourceId{0}, bound(StreamKind::kAudio, now));
    sync.push(SourceId{1}, reading_at(now));
    sync.advance_live(at(now));
    now += 0.033;
  }
  if (out < state.iterations()) state.SkipWithError("packets were held for ever");
}
BENCHMARK(frame_and_reading)->Unit(benchmark::kMicrosecond);

void second_of_sound(benchmark::State& state) {
  RealClock clock;
  const auto speech = make_energy_detector();
  Synchronizer sync({}, clock, speech.get(), [](const Timed&) {});
  sync.add_source(SourceId{0}, kAudioOnly, false);
  std::mt19937 random(1);
  Sound sound;
  add_silence(add_noise(sound, 0.6, 0.3, random), 0.4);
  double now = 0;
  for (auto _ : state) sync.push(SourceId{0}, block_of(sound, at(now++)));
}
BENCHMARK(second_of_sound)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace braid::sync
