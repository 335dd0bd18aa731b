#pragma once
// For tests: a tiny model of random weights for each family of llama.cpp's, and what llama.cpp's own helper
// makes of a prompt.

#include <string>
#include <vector>

#include "test_model.h"

namespace braid::engine::llama {

struct Family {
  std::string name;  ///< of its files, as tools/models makes them
  bool sees = false, hears = false;
};

const std::vector<Family>& families();
LlamaOptions family_options(const Family& family);

/// Something perceived, and how a prompt names it.
struct Perceived {
  std::string stamp;  ///< text before the medium
  Frame frame;        ///< without pixels: none
  Utterance sound;    ///< without samples: none

  bool is_text() const { return !frame.pixels && sound.samples.empty(); }
  std::string text() const { return is_text() ? stamp : stamp + "<__media__>"; }
};

/// How many media perceived() makes; they come again with other stamps, so that few have to be encoded.
inline constexpr int kDistinct = 2;
/// The `number`-th thing that this family can perceive: pictures and sound in turn, or a line of text.
Perceived perceived(const Family& family, int number);
/// A picture of coarse noise.
Frame noise_picture(int width, int height, unsigned seed);
/// Tones that change.
Utterance noise_sound(double seconds, unsigned seed);

/// Throws where it can't be encoded.
Prompt encoded(const Engine& engine, const Medium& medium);

/// Steps as the planner makes them: an indivisible medium alone and whole, anything else in pieces.
Prefilled run_prompt(const Engine& engine, SequenceId sequence, const Prompt& prompt, Position at);

/// A fresh context of llama.cpp's own, fed by mtmd_helper_eval_chunks().
class Oracle {
 public:
  explicit Oracle(const Family& family, int cells = 4096);

  /// Appends the prompt, whose markers stand for the media of `media` in order, texts skipped.
  void feed(const std::string& prompt, const std::vector<Perceived>& media);
  /// Takes positions [begin, end) out.
  void forget(Position begin, Position end);
  void feed_token(Token token);
  Position end() const { return end_; }
  /// Of the row that was fed last.
  std::vector<float> logits() const;

 private:
  ModelHandle model_;
  ContextHandle context_;
  MtmdHandle mtmd_;  // null for text
  llama_pos end_ = 0;
};

}  // namespace braid::engine::llama
