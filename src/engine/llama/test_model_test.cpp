// Helpers of the other tests here; the name keeps them out of the library.

#include <gtest/gtest.h>
#include <mtmd-helper.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "test_model.h"

namespace braid::engine::llama {

LlamaOptions small_options() {
  LlamaOptions options;
  options.model = model_path();
  options.mmproj = mmproj_path();
  options.cells = 1024;
  options.max_sequences = 4;
  options.max_step_rows = 256;
  return options;
}

Engine load(const LlamaOptions& options) {
  auto engine = load_llama(options);
  if (!engine) {
    ADD_FAILURE() << engine.error().message;
    throw std::runtime_error("the model under test can't be loaded; `make model` prepares it");
  }
  return std::move(*engine);
}

namespace {

BitmapHandle read_sample(const std::string& path) {
  MtmdHandle mtmd;
  mtmd_context_params params = mtmd_context_params_default();
  params.use_gpu = params.warmup = params.print_timings = false;
  mtmd.reset(mtmd_init_from_file(mmproj_path().c_str(), nullptr, params));
  BitmapHandle bitmap(mtmd ? mtmd_helper_bitmap_init_from_file(mtmd.get(), path.c_str(), false,
                                                               mtmd_helper_init_opt_default())
                                 .bitmap
                           : nullptr);
  if (!bitmap) throw std::runtime_error("can't read " + path + "; run tests from the source root");
  return bitmap;
}

Frame frame_of(int width, int height, int stride) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  frame.stride = stride;
  SlotPool pool(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height), 1);
  frame.pixels = *pool.take();
  return frame;
}

}  // namespace

Frame picture(const std::string& path) {
  const BitmapHandle bitmap = read_sample(path);
  const int width = static_cast<int>(mtmd_bitmap_get_nx(bitmap.get()));
  Frame frame = frame_of(width, static_cast<int>(mtmd_bitmap_get_ny(bitmap.get())), width * 3 + 32);
  for (int y = 0; y < frame.height; ++y)
    std::memcpy(frame.pixels.data() + y * frame.stride, mtmd_bitmap_get_data(bitmap.get()) + y * width * 3,
                static_cast<std::size_t>(width) * 3);
  return frame;
}

Frame plain_picture(int width, int height, int extra_stride) {
  Frame frame = frame_of(width, height, width * 3 + extra_stride);
  std::memset(frame.pixels.data(), 127, frame.pixels.size());
  return frame;
}

Utterance sound(const std::string& path) {
  const BitmapHandle bitmap = read_sample(path);
  Utterance utterance;
  utterance.samples.resize(mtmd_bitmap_get_n_bytes(bitmap.get()) / sizeof(float));
  std::memcpy(utterance.samples.data(), mtmd_bitmap_get_data(bitmap.get()),
              mtmd_bitmap_get_n_bytes(bitmap.get()));
  return utterance;
}

Position add_rows(StepPlan& plan, SequenceId sequence, const Prompt& prompt, Position at) {
  for (const Piece& piece : prompt.pieces) {
    if (const auto* tokens = std::get_if<TokenRun>(&piece)) {
      for (const Token token : *tokens) {
        plan.rows.push_back({.sequence = sequence, .position = at, .y = at, .x = at, .token = token});
        ++at;
      }
      continue;
    }
    const auto& run = std::get<EmbeddingRun>(piece);
    for (std::size_t i = 0; i < run.rows->rows; ++i) {
      const Position place = at + static_cast<Position>(i);
      plan.rows.push_back({.sequence = sequence,
                           .position = place,
                           .y = place,
                           .x = place,
                           .embedding = run.rows->row(i).data()});
    }
    at += run.positions;
  }
  return at;
}

Prefilled prefill(Decoder& decoder, SequenceId sequence, const Prompt& prompt, Position at,
                  int rows_per_step) {
  StepPlan all;
  Prefilled done;
  done.end = add_rows(all, sequence, prompt, at);
  all.rows.back().wants_logits = true;
  for (std::size_t i = 0; i < all.rows.size(); i += static_cast<std::size_t>(rows_per_step)) {
    StepPlan part;
    const std::size_t end = std::min(all.rows.size(), i + static_cast<std::size_t>(rows_per_step));
    part.rows.assign(all.rows.begin() + static_cast<std::ptrdiff_t>(i),
                     all.rows.begin() + static_cast<std::ptrdiff_t>(end));
    const auto result = decoder.step(part);
    if (!result) throw std::runtime_error(result.error().message);
    if (!result->logits.empty()) done.logits.assign(result->logits[0].begin(), result->logits[0].end());
  }
  return done;
}

std::string answer(const Engine& engine, SequenceId sequence, Prefilled after) {
  std::string text;
  for (int i = 0; i < 48; ++i) {
    const Token token = argmax(after.logits);
    if (engine.tokenizer->ends_generation(token)) break;
    text += engine.tokenizer->piece(token);
    Prompt next;
    next.append({token});
    after = prefill(*engine.decoder, sequence, next, after.end);
  }
  return text;
}

Prompt text_prompt(const Tokenizer& tokenizer, const std::string& text) {
  Prompt prompt;
  prompt.append(tokenizer.tokenize(text, true));
  return prompt;
}

Prompt turn(const Engine& engine, const std::string& stamp, const Medium& medium,
            const std::string& question) {
  const ChatFormat& chat = engine.tokenizer->chat();
  const auto encoded = engine.encoder->encode({&medium, 1});
  if (!encoded) throw std::runtime_error(encoded.error().message);
  Prompt prompt = text_prompt(*engine.tokenizer, chat.begin);
  prompt.append(engine.tokenizer->tokenize(stamp, false));
  prompt.append((*encoded)[0]);
  prompt.append(engine.tokenizer->tokenize("\n" + question, false));
  prompt.append(engine.tokenizer->tokenize(chat.end_of_question, true));
  return prompt;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float worst = a.size() == b.size() && !a.empty() ? 0.0F : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

int argmax(const std::vector<float>& values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

float top_gap(const std::vector<float>& values) {
  std::vector<float> sorted = values;
  std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end(), std::greater<>());
  return *std::max_element(values.begin(), values.end()) - sorted[1];
}

}  // namespace braid::engine::llama
