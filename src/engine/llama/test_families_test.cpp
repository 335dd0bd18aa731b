// Helpers of families_test.cpp; the name keeps them out of the library.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mtmd-helper.h>

#include <cmath>
#include <cstring>
#include <random>

#include "media.h"
#include "test_families.h"

namespace braid::engine::llama {

namespace {

constexpr int kThreads = 1;  // bits don't depend on how rows are shared out
constexpr std::size_t kRowsAStep = 64;

std::string family_file(const std::string& name) { return std::string(BRAID_TINY_MODELS) + "/" + name; }

Row row_of(const EmbeddingRun& run, std::size_t i, Position base) {
  Row row;
  row.position = row.y = row.x = base + static_cast<Position>(i);
  row.embedding = run.rows->row(i).data();
  if (run.grid.empty()) return row;
  row.position = base + run.grid[i].t;
  row.y = base + run.grid[i].y;
  row.x = base + run.grid[i].x;
  return row;
}

Row row_of(Token token, Position position) {
  Row row;
  row.position = row.y = row.x = position;
  row.token = token;
  return row;
}

/// The piece's rows; moves `at` past it.
std::vector<Row> rows_of(const Piece& piece, Position& at) {
  std::vector<Row> rows;
  if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
    for (const Token token : *tokens) rows.push_back(row_of(token, at++));
    return rows;
  }
  const auto& run = std::get<EmbeddingRun>(piece);
  for (std::size_t i = 0; i < run.rows->rows; ++i) rows.push_back(row_of(run, i, at));
  at += run.positions;
  return rows;
}

bool is_indivisible(const Piece& piece) {
  const auto* run = std::get_if<EmbeddingRun>(&piece);
  return run && run->indivisible;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"text"},
      {"text-q8_0"},
      {"sliding"},
      {"llava", true},
      {"smolvlm", true},
      {"internvl", true},
      {"gemma3", true},
      {"qwen2.5vl", true},
      {"qwen3vl", true},
      {"lfm2vl", true},
      {"ultravox", false, true},
      {"qwen2audio", false, true},
      {"voxtral", false, true},
      {"qwen2.5omni", true, true},
  };
  return all;
}

LlamaOptions family_options(const Family& family) {
  LlamaOptions options;
  options.model = family_file(family.name + ".gguf");
  if (family.sees || family.hears) options.mmproj = family_file(family.name + "-mmproj.gguf");
  options.cells = 8192;
  options.max_sequences = 4;
  options.max_step_rows = 256;
  options.threads = kThreads;
  return options;
}

Frame noise_picture(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::uint8_t shades[8][8][3];
  for (auto& row : shades)
    for (auto& cell : row)
      for (std::uint8_t& shade : cell) shade = static_cast<std::uint8_t>(random());
  Frame frame = plain_picture(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      std::memcpy(frame.pixels.data() + y * frame.stride + 3 * x, shades[8 * y / height][8 * x / width], 3);
  return frame;
}

Utterance noise_sound(double seconds, unsigned seed) {
  std::mt19937 random(seed);
  Utterance sound;
  double phase = 0, step = 0;
  for (int i = 0; i < static_cast<int>(seconds * sound.sample_rate); ++i) {
    if (i % 1600 == 0) step = 0.02 + static_cast<double>(random() % 1000) / 1500;
    phase += step;
    sound.samples.push_back(static_cast<float>(0.5 * std::sin(phase)));
  }
  return sound;
}

Perceived perceived(const Family& family, int number) {
  Perceived what;
  what.stamp = fmt::format("[{}.0s]", number);
  const bool picture = family.sees && (!family.hears || number % 2 == 0);
  const auto seed = static_cast<unsigned>(number % kDistinct) + 1;
  if (picture)
    what.frame = noise_picture(112, 84, seed);
  else if (family.hears)
    what.sound = noise_sound(1.0, seed);
  else
    what.stamp += fmt::format(" press_{} temperature={}", number, 37 * number % 90);
  return what;
}

Prompt encoded(const Engine& engine, const Medium& medium) {
  const auto prompts = engine.encoder->encode({&medium, 1});
  if (!prompts) throw std::runtime_error(prompts.error().message);
  return prompts->front();
}

Prefilled run_prompt(const Engine& engine, SequenceId sequence, const Prompt& prompt, Position at) {
  Prefilled done;
  done.end = at;
  std::vector<StepPlan> plans;
  for (const Piece& piece : prompt.pieces) {
    const std::vector<Row> rows = rows_of(piece, done.end);
    const bool whole = is_indivisible(piece);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool fits =
          !plans.empty() && !whole && !plans.back().non_causal && plans.back().rows.size() < kRowsAStep;
      if (!fits && (!whole || i == 0)) plans.push_back({.rows = {}, .non_causal = whole});
      plans.back().rows.push_back(rows[i]);
      plans.back().rows.back().sequence = sequence;
    }
  }
  plans.back().rows.back().wants_logits = true;
  for (const StepPlan& plan : plans) {
    const auto result = engine.decoder->step(plan);
    if (!result) throw std::runtime_error(result.error().message);
    if (!result->logits.empty()) done.logits.assign(result->logits[0].begin(), result->logits[0].end());
  }
  return done;
}

Oracle::Oracle(const Family& family, int cells) {
  const LlamaOptions options = family_options(family);
  model_.reset(llama_model_load_from_file(options.model.c_str(), llama_model_default_params()));
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<std::uint32_t>(cells);
  params.n_batch = params.n_ubatch = 512;
  params.n_threads = params.n_threads_batch = kThreads;
  params.swa_full = true;
  context_.reset(llama_init_from_model(model_.get(), params));
  if (options.mmproj.empty()) return;
  mtmd_context_params mtmd = mtmd_context_params_default();
  mtmd.print_timings = mtmd.warmup = mtmd.use_gpu = false;
  mtmd.n_threads = kThreads;
  mtmd_.reset(mtmd_init_from_file(options.mmproj.c_str(), model_.get(), mtmd));
}

void Oracle::feed(const std::string& prompt, const std::vector<Perceived>& media) {
  if (!mtmd_) {
    const llama_vocab* vocab = llama_model_get_vocab(model_.get());
    std::vector<llama_token> tokens(prompt.size() + 8);
    tokens.resize(static_cast<std::size_t>(
        llama_tokenize(vocab, prompt.data(), static_cast<std::int32_t>(prompt.size()), tokens.data(),
                       static_cast<std::int32_t>(tokens.size()), false, true)));
    for (const llama_token token : tokens) feed_token(token);
    return;
  }
  std::vector<BitmapHandle> owned;
  std::vector<const mtmd_bitmap*> bitmaps;
  for (const Perceived& what : media) {
    if (what.is_text()) continue;
    owned.push_back(what.frame.pixels
                        ? BitmapHandle(mtmd_bitmap_init(static_cast<std::uint32_t>(what.frame.width),
                                                        static_cast<std::uint32_t>(what.frame.height),
                                                        what.frame.pixels.data()))
                        : BitmapHandle(mtmd_bitmap_init_from_audio(what.sound.samples.size(),
                                                                   what.sound.samples.data())));
    bitmaps.push_back(owned.back().get());
  }
  const mtmd_input_text text{prompt.data(), prompt.size(), false, true};
  const ChunksHandle chunks(mtmd_input_chunks_init());
  ASSERT_EQ(mtmd_tokenize(mtmd_.get(), chunks.get(), &text, bitmaps.data(), bitmaps.size()), 0);
  ASSERT_EQ(mtmd_helper_eval_chunks(mtmd_.get(), context_.get(), chunks.get(), end_, 0, 512, true, &end_), 0);
}

void Oracle::feed_token(Token token) {
  llama_pos position = end_++;
  llama_batch batch = llama_batch_get_one(&token, 1);
  batch.pos = &position;
  ASSERT_EQ(llama_decode(context_.get(), batch), 0);
}

void Oracle::forget(Position begin, Position end) {
  ASSERT_TRUE(llama_memory_seq_rm(llama_get_memory(context_.get()), 0, begin, end));
}

std::vector<float> Oracle::logits() const {
  const float* values = llama_get_logits_ith(context_.get(), -1);
  return {values, values + llama_vocab_n_tokens(llama_model_get_vocab(model_.get()))};
}

}  // namespace braid::engine::llama
