#pragma once
// For tests: the default model, sample media, and the shortest way from a prompt to an answer.

#include <string>
#include <vector>

#include "braid/engine/llama_engine.h"
#include "braid/tensor/slot_pool.h"
#include "load.h"
#include "test_model_path.h"

namespace braid::engine::llama {

inline std::string sample_path(const std::string& name) { return "models/nano/samples/" + name; }

/// Options of a small context over the default model.
LlamaOptions small_options();
/// Fails the test, with the cure, and throws if the model isn't there.
Engine load(const LlamaOptions& options);

/// A picture of a sample file, or one colour, in a pool that lives as long as it.
Frame picture(const std::string& path);
Frame plain_picture(int width, int height, int extra_stride = 0);
Utterance sound(const std::string& path);

/// What a prompt left behind: the logits of its last row, and the next position.
struct Prefilled {
  std::vector<float> logits;
  Position end = 0;
};

/// Appends rows of a prompt to a plan, from `at` on; returns the position after them.
Position add_rows(StepPlan& plan, SequenceId sequence, const Prompt& prompt, Position at);
/// Runs a prompt through a sequence, at most `rows_per_step` rows a step. Throws if a step fails.
Prefilled prefill(Decoder& decoder, SequenceId sequence, const Prompt& prompt, Position at,
                  int rows_per_step = 64);
/// Greedy text after `after`, at most 48 tokens.
std::string answer(const Engine& engine, SequenceId sequence, Prefilled after);

Prompt text_prompt(const Tokenizer& tokenizer, const std::string& text);
/// One user turn: time, medium, newline, question.
Prompt turn(const Engine& engine, const std::string& stamp, const Medium& medium,
            const std::string& question);

float largest_difference(const std::vector<float>& a, const std::vector<float>& b);
int argmax(const std::vector<float>& values);
/// Largest minus second largest.
float top_gap(const std::vector<float>& values);

}  // namespace braid::engine::llama
