// What listening costs: a frame is 32 ms of sound.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "braid/sync/speech_detector.h"
#include "sound_for_tests.h"

namespace braid::sync {
namespace {

void silero_frame(benchmark::State& state) {
  const char* home = std::getenv("HOME");
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const std::string root = cache ? cache : std::string(home ? home : "") + "/.cache";
  auto factory = make_silero_detector(root + "/braid/models/silero_vad_openvino_16k.onnx");
  if (!factory) return state.SkipWithError(factory.error().message.c_str());
  const auto detector = (*factory)->make();
  std::mt19937 random(1);
  test::Sound sound;
  test::add_noise(sound, 0.032, 0.1, random);
  for (auto _ : state) benchmark::DoNotOptimize(detector->probability(sound));
}
BENCHMARK(silero_frame)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace braid::sync
