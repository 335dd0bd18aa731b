#pragma once
// Logits to a token.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "braid/engine/chat.h"
#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::decode {

/// The highest logit's id; the lowest among equals. NaN never wins; 0 where nothing does.
Token argmax(std::span<const float> logits);

/// Greedy at temperature 0 (lowest id among equals); else top-k, then min-p, then top-p (Holtzman et al., The
/// Curious Case of Neural Text Degeneration, 2020), then temperature and a draw. The same seed gives the same
/// draws anywhere. Before all that, as OpenAI documents it: logits[t] += bias[t] - times[t] *
/// frequency_penalty
/// - (times[t] > 0) * presence_penalty, with times[t] counted over the tokens generated so far, not the
/// prompt's. One answer's; one thread. Buffers are reused.
class Sampler {
 public:
  explicit Sampler(Sampling options);
  /// `logits`: [vocabulary], not empty (std::logic_error). Without a finite highest logit it is greedy.
  /// With a filter, the draw is checked first, and only what it forbids costs a mask and a second draw;
  /// whether the filter went on well is for the caller to ask.
  Token sample(std::span<const float> logits, engine::TokenFilter* filter = nullptr);
  /// A token of the answer was generated: it counts for the penalties. The filter is the caller's to tell.
  void accept(Token token);

 private:
  struct Candidate {
    Token token;
    float value;      // logit
    double weight{};  // exp(value - highest), over temperature once it is to be drawn
  };

  struct Count {
    Token token;
    int times;
  };

  std::span<const float> adjust(std::span<const float> logits);
  Token choose(std::span<const float> logits);
  void collect(std::span<const float> logits, float highest);
  void keep_top_k();
  void keep_top_p(float highest);
  Token draw(float highest);
  double uniform();

  Sampling options_;
  std::mt19937_64 random_;
  std::vector<Candidate> candidates_;
  std::vector<Count> counts_;    // only where a penalty is set
  std::vector<float> adjusted_;  // [vocabulary], once a logit is to be changed
};

}  // namespace braid::decode
