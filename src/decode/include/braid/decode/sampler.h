#pragma once
// Logits to a token.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::decode {

/// The highest logit's id; the lowest among equals. NaN never wins; 0 where nothing does.
Token argmax(std::span<const float> logits);

/// Greedy at temperature 0 (lowest id among equals); else top-k, then min-p, then top-p (Holtzman et al., The
/// Curious Case of Neural Text Degeneration, 2020), then temperature and a draw. The same seed gives the same
/// draws anywhere. One answer's; one thread. Buffers are reused.
class Sampler {
 public:
  explicit Sampler(Sampling options);
  /// `logits`: [vocabulary], not empty (std::logic_error). Without a finite highest logit it is greedy.
  Token sample(std::span<const float> logits);

 private:
  struct Candidate {
    Token token;
    float value;      // logit
    double weight{};  // exp(value - highest), over temperature once it is to be drawn
  };

  void collect(std::span<const float> logits, float highest);
  void keep_top_k();
  void keep_top_p(float highest);
  Token draw(float highest);
  double uniform();

  Sampling options_;
  std::mt19937_64 random_;
  std::vector<Candidate> candidates_;
};

}  // namespace braid::decode
