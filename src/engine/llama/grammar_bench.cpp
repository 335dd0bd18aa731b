// What it costs to bind an answer, over the default model's vocabulary: the grammar, a mask, a token.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "braid/engine/llama_engine.h"
#include "test_model_path.h"

namespace braid::engine::llama {
namespace {

const Engine& engine() {
  static const Engine loaded = [] {
    LlamaOptions options;
    options.model = model_path();
    options.cells = 512;
    auto made = load_llama(options);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
  }();
  return loaded;
}

ChatInput request(std::string schema) {
  ChatInput input;
  input.turns.resize(1);
  input.turns[0].role = "user";
  input.turns[0].content = "Describe a person.";
  input.json_schema = std::move(schema);
  return input;
}

/// About 64 KiB of required properties.
std::string large_schema() {
  std::string properties;
  std::string required;
  for (int i = 0; i < 800; ++i) {
    const std::string name = "\"property" + std::to_string(i) + "\"";
    properties.append(i ? "," : "").append(name).append(R"(:{"type":"integer","description":"a number"})");
    required.append(i ? "," : "").append(name);
  }
  return R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required + "]}";
}

constexpr const char* kPerson =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":40},"age":{"type":"integer"},
    "tags":{"type":"array","items":{"enum":["tall","kind"]},"maxItems":5}},"required":["name","age","tags"]})";

void render(benchmark::State& state, const std::string& schema) {
  const ChatInput input = request(schema);
  const Tokenizer& tokenizer = *engine().tokenizer;
  for (auto _ : state) {
    const auto made = tokenizer.render(input);
    if (!made) return state.SkipWithError(made.error().message.c_str());
  }
  state.counters["schema_bytes"] = static_cast<double>(schema.size());
}

/// A random answer, each token masked: as if the model's draw were forbidden every time.
void mask_every_token(benchmark::State& state, const std::string& schema) {
  const auto made = engine().tokenizer->render(request(schema));
  if (!made) return state.SkipWithError(made.error().message.c_str());
  std::mt19937 random(1);
  auto filter = made->grammar->filter();
  std::vector<float> logits(static_cast<std::size_t>(engine().info.vocabulary));
  for (auto _ : state) {
    state.PauseTiming();
    for (float& logit : logits) logit = static_cast<float>(random() % 1000);
    state.ResumeTiming();
    filter->apply(logits);
    state.PauseTiming();
    const auto token = static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    if (engine().tokenizer->ends_generation(token))
      filter = made->grammar->filter();
    else
      filter->accept(token);
    state.ResumeTiming();
  }
}

BENCHMARK_CAPTURE(render, without_schema, "");
BENCHMARK_CAPTURE(render, person, kPerson);
BENCHMARK_CAPTURE(render, large, large_schema())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mask_every_token, any_object, R"({"type":"object"})")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(mask_every_token, person, kPerson)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(mask_every_token, long_string, R"({"type":"string","maxLength":8000})")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace braid::engine::llama
