#pragma once
// Log probabilities of tokens, for answers that are to show them.

#include <span>
#include <vector>

#include "braid/packet/prompt.h"

namespace braid::decode {

struct Chance {
  Token token = 0;
  float logprob = 0.0F;  ///< natural; not below kLeastLogprob
};

struct Chances {
  float chosen = 0.0F;      ///< of the chosen token
  std::vector<Chance> top;  ///< the likeliest, highest first; the lowest id first among equals
};

/// What stands for less likely and impossible tokens: JSON has no infinity.
inline constexpr float kLeastLogprob = -9999.0F;

/// Of the model's own distribution: the log softmax of the logits as the step gave them, before penalties,
/// biases, temperature and grammar. `logits`: [vocabulary], not empty, `chosen` one of its ids
/// (std::logic_error). `top` of them at most. A pass over the logits costs about as much as greedy sampling.
Chances logprobs(std::span<const float> logits, Token chosen, int top);

}  // namespace braid::decode
