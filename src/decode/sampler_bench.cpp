#include "braid/decode/chances.h"
#include "braid/decode/sampler.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

namespace braid::decode {
namespace {

constexpr std::size_t kVocabulary = 49152;

// As a model gives them: a bell curve and a few that stand out.
std::vector<float> typical_logits() {
  std::mt19937 random(1);
  std::normal_distribution<float> bell(0.0F, 3.0F);
  std::vector<float> logits(kVocabulary);
  for (float& logit : logits) logit = bell(random);
  for (std::size_t i = 0; i < 5; ++i) logits[i * 9'000 + 17] = 14.0F + static_cast<float>(i) / 2;
  return logits;
}

void run(benchmark::State& state, const Sampling& options) {
  const std::vector<float> logits = typical_logits();
  Sampler sampler(options);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.sample(logits));
  // Every logit is read once at least: the rate is to be held against the memory's.
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kVocabulary * sizeof(float)));
}

void greedy(benchmark::State& state) { run(state, {}); }
void defaults_at_temperature_1(benchmark::State& state) { run(state, {.temperature = 1.0F}); }
void top_k_alone(benchmark::State& state) {
  run(state, {.temperature = 1.0F, .top_k = 40, .top_p = 1.0F, .min_p = 0.0F});
}
void top_p_alone(benchmark::State& state) {
  run(state, {.temperature = 1.0F, .top_k = 0, .top_p = 0.95F, .min_p = 0.0F});
}

void greedy_with_penalties(benchmark::State& state) {
  const std::vector<float> logits = typical_logits();
  Sampler sampler({.frequency_penalty = 0.5F, .logit_bias = {{5, 1.0F}}});
  for (Token token = 0; token < 500; ++token) sampler.accept(token * 7);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.sample(logits));
}
void logprobs_of_the_top_20(benchmark::State& state) {
  const std::vector<float> logits = typical_logits();
  for (auto _ : state) benchmark::DoNotOptimize(logprobs(logits, 17, 20));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kVocabulary * sizeof(float)));
}

BENCHMARK(greedy_with_penalties);
BENCHMARK(logprobs_of_the_top_20);
BENCHMARK(greedy);
BENCHMARK(defaults_at_temperature_1);
BENCHMARK(top_k_alone);
BENCHMARK(top_p_alone);

}  // namespace
}  // namespace braid::decode
