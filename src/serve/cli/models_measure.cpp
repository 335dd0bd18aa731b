#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <functional>

#include "braid/base/clock.h"
#include "braid/engine/llama_engine.h"
#include "braid/tensor/slot_pool.h"
#include "cli/exit_code.h"
#include "cli/models.h"
#include "cli/say.h"
#include "watch/model_files.h"

namespace braid::serve {

namespace {

constexpr SequenceId kSequence{0};
constexpr int kPrefillRows = 512, kDecodeRows = 32;

/// Medians in milliseconds; below 0: not measured.
struct Measured {
  int prefill_rows = 0;
  double prefill_ms = -1, decode_ms = -1, picture_ms = -1, sound_ms = -1;
};

Result<double> median_ms(Clock& clock, int rounds, const std::function<Status()>& body) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const SteadyTime begin = clock.now();
    if (Status done = body(); !done) return tl::unexpected(done.error());
    const double ms = std::chrono::duration<double, std::milli>(clock.now() - begin).count();
    if (round > 0) times.push_back(ms);  // the first one warms up
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<std::size_t>(rounds / 2)];
}

Row row_of(Token token, Position position, RowKind kind) {
  Row row;
  row.sequence = kSequence;
  row.position = row.y = row.x = position;
  row.token = token;
  row.kind = kind;
  return row;
}

Status prefill(engine::Engine& engine, const TokenRun& tokens, int rows) {
  engine.decoder->free(kSequence);
  for (int at = 0; at < rows;) {
    StepPlan plan;
    for (; at < rows && static_cast<int>(plan.rows.size()) < engine.info.max_step_rows; ++at)
      plan.rows.push_back(
          row_of(tokens[static_cast<std::size_t>(at) % tokens.size()], at, RowKind::kQuestion));
    plan.rows.back().wants_logits = at == rows;
    if (const auto done = engine.decoder->step(plan); !done) return tl::unexpected(done.error());
  }
  return {};
}

Result<double> decode_ms(engine::Engine& engine, Clock& clock, const TokenRun& tokens, int begin) {
  std::vector<double> times;
  for (int i = 0; i < kDecodeRows; ++i) {
    StepPlan plan;
    plan.rows.push_back(
        row_of(tokens[static_cast<std::size_t>(i) % tokens.size()], begin + i, RowKind::kDecode));
    plan.rows.back().wants_logits = true;
    const SteadyTime since = clock.now();
    if (const auto done = engine.decoder->step(plan); !done) return tl::unexpected(done.error());
    times.push_back(std::chrono::duration<double, std::milli>(clock.now() - since).count());
  }
  std::nth_element(times.begin(), times.begin() + kDecodeRows / 2, times.end());
  return times[kDecodeRows / 2];
}

Frame stripes(SlotPool& pool, int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  frame.stride = 3 * width;
  frame.pixels = *pool.take();
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels.data()[i] = static_cast<std::uint8_t>(i * 7 % 251);
  return frame;
}

Status encode(engine::Engine& engine, const engine::Medium& medium) {
  const auto rows = engine.encoder->encode({&medium, 1});
  return rows ? Status() : tl::unexpected(rows.error());
}

Result<Measured> measure(engine::Engine& engine, Clock& clock, const ModelFlags& flags) {
  const TokenRun tokens = engine.tokenizer->tokenize(
      "The quick brown fox jumps over the lazy dog while seven cameras watch the press and the belt.", false);
  if (tokens.empty())
    return fail(ErrorCode::kUnsupported, "the model's vocabulary has no tokens for English");
  Measured found;
  found.prefill_rows = std::min(kPrefillRows, flags.window - kDecodeRows);
  auto ms = median_ms(clock, flags.rounds, [&] { return prefill(engine, tokens, found.prefill_rows); });
  if (!ms) return tl::unexpected(ms.error());
  found.prefill_ms = *ms;
  ms = decode_ms(engine, clock, tokens, found.prefill_rows);
  if (!ms) return tl::unexpected(ms.error());
  found.decode_ms = *ms;
  if (engine.info.sees) {
    SlotPool pool(std::size_t{3} * 640 * 480, 1);
    const Frame frame = stripes(pool, 640, 480);
    ms = median_ms(clock, flags.rounds, [&] { return encode(engine, &frame); });
    if (!ms) return tl::unexpected(ms.error());
    found.picture_ms = *ms;
  }
  if (engine.info.hears) {
    Utterance second;
    for (int i = 0; i < second.sample_rate; ++i)
      second.samples.push_back(0.3F * std::sin(0.17F * static_cast<float>(i)));
    ms = median_ms(clock, flags.rounds, [&] { return encode(engine, &second); });
    if (!ms) return tl::unexpected(ms.error());
    found.sound_ms = *ms;
  }
  return found;
}

void print(const ModelFlags& flags, const engine::EngineInfo& info, const Measured& found) {
  const double prefill_rate = 1000 * found.prefill_rows / found.prefill_ms;
  if (flags.json) {
    const auto or_null = [](double ms) {
      return ms < 0 ? boost::json::value(nullptr) : boost::json::value(ms);
    };
    const boost::json::object line{{"type", "model_bench"},
                                   {"path", flags.files.model},
                                   {"device", info.device},
                                   {"rounds", flags.rounds},
                                   {"prefill_rows", found.prefill_rows},
                                   {"prefill_ms", found.prefill_ms},
                                   {"decode_ms", found.decode_ms},
                                   {"picture_ms", or_null(found.picture_ms)},
                                   {"sound_ms", or_null(found.sound_ms)}};
    fmt::print("{}\n", boost::json::serialize(line));
    return;
  }
  fmt::print("{} on {}; medians of {} rounds\n", info.name, info.device, flags.rounds);
  fmt::print("prefill  {:>8.1f} ms for {} rows: {:.0f} a second\n", found.prefill_ms, found.prefill_rows,
             prefill_rate);
  fmt::print("decode   {:>8.1f} ms a token: {:.0f} a second\n", found.decode_ms, 1000 / found.decode_ms);
  if (found.picture_ms >= 0) fmt::print("picture  {:>8.1f} ms to encode 640x480\n", found.picture_ms);
  if (found.sound_ms >= 0) fmt::print("sound    {:>8.1f} ms to encode a second\n", found.sound_ms);
}

int failed(const Error& error) {
  say("braid models: {}\n", error.message);
  return exit_code(error.code);
}

}  // namespace

int bench_model(const ModelFlags& asked) {
  ModelFlags flags = asked;
  auto files = with_default_model(flags.files);
  if (!files) return failed(files.error());
  flags.files = *files;
  engine::LlamaOptions options;
  options.model = flags.files.model;
  options.mmproj = flags.files.mmproj;
  options.lora = flags.files.lora;
  options.threads = flags.files.threads;
  options.cells = flags.window;
  options.max_step_rows = std::min(options.max_step_rows, flags.window);
  auto engine = engine::load_llama(options);
  if (!engine) return failed(engine.error());
  RealClock clock;
  const auto found = measure(*engine, clock, flags);
  if (!found) return failed(found.error());
  print(flags, engine->info, *found);
  return kDone;
}

}  // namespace braid::serve
