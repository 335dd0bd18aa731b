#include "engine_rates.h"

#include <array>
#include <cmath>
#include <numbers>

#include "braid/decode/sampler.h"

namespace braid::bench {

namespace {

Row token_row(Position position, Token token, bool wants_logits, RowKind kind) {
  return {.sequence = SequenceId{0},
          .position = position,
          .y = position,
          .x = position,
          .token = token,
          .wants_logits = wants_logits,
          .kind = kind};
}

}  // namespace

Result<Nanoseconds> time_prefill(engine::Engine& engine, Clock& clock, int rows) {
  StepPlan plan;
  for (int i = 0; i < rows; ++i)
    plan.rows.push_back(
        token_row(i, (i * 7919) % engine.info.vocabulary, i + 1 == rows, RowKind::kPerception));
  const SteadyTime begin = clock.now();
  auto result = engine.decoder->step(plan);
  const Nanoseconds took = clock.now() - begin;
  engine.decoder->free(SequenceId{0});
  if (!result) return tl::unexpected(result.error());
  return took;
}

Result<Nanoseconds> time_decode(engine::Engine& engine, Clock& clock, int tokens) {
  decode::Sampler sampler(Sampling{});
  Token token = 1;
  StepPlan plan;
  const SteadyTime begin = clock.now();
  for (int i = 0; i < tokens; ++i) {
    plan.rows.assign(1, token_row(i, token, true, RowKind::kDecode));
    auto result = engine.decoder->step(plan);
    if (!result) return tl::unexpected(result.error());
    token = sampler.sample(result->logits.front());
  }
  const Nanoseconds took = clock.now() - begin;
  engine.decoder->free(SequenceId{0});
  return took;
}

Result<Nanoseconds> time_encode(engine::Engine& engine, Clock& clock, engine::Medium medium) {
  const SteadyTime begin = clock.now();
  auto prompts = engine.encoder->encode(std::array{medium});
  if (!prompts) return tl::unexpected(prompts.error());
  return clock.now() - begin;
}

Utterance make_sound(Nanoseconds duration, int sample_rate) {
  Utterance sound;
  sound.end = sound.start + duration;
  sound.sample_rate = sample_rate;
  sound.samples.resize(static_cast<std::size_t>(to_seconds(duration) * sample_rate));
  for (std::size_t i = 0; i < sound.samples.size(); ++i) {
    const double t = static_cast<double>(i) / sample_rate;
    sound.samples[i] = 0.3F * static_cast<float>(std::sin(2 * std::numbers::pi * 220 * t));
  }
  return sound;
}

}  // namespace braid::bench
