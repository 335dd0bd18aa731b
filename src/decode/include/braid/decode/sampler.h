#pragma once
// Logits to a token.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "braid/packet/prompt.h"
#include "braid/packet/question.h"

namespace braid::decode {

/// Greedy at temperature 0 (lowest id among equals); else top-k, then min-p, then top-p (Holtzman et al., The Curious
/// Case of Neural Text Degeneration, 2020), then temperature and a draw. The same seed gives the same draws anywhere.
class Sampler {
 public:
  explicit Sampler(Sampling options);
  Token sample(std::span<const float> logits);  // [vocabulary]

 private:
  struct Candidate {
    Token token;
    float value;
  };
  Sampling options_;
  std::mt19937_64 random_;
  std::vector<Candidate> candidates_;
};

}  // namespace braid::decode
