#include "braid/decode/chances.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "blocks.h"

namespace braid::decode {

namespace {

// Below it an exponential is taken as this one's: 1e-38 in a sum that is 1 at least.
constexpr float kLeastExponent = -87.0F;

// e^x for x in [kLeastExponent, 0] within 2e-7, of operations that the compiler can do in vector registers: x
// is split into n ln 2 + r, e^r is a polynomial (Cephes, S. Moshier, 1992), 2^n is made from its bits.
inline float quick_exp(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  const float n = (x * 1.44269504F + kRound) - kRound;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const std::int32_t exponent = (static_cast<std::int32_t>(n) + 127) << 23;
  return (p * r * r + r + 1.0F) * std::bit_cast<float>(exponent);
}

/// NaN counts as the least.
inline float exponent_of(float logit, float highest) {
  return logit - highest > kLeastExponent ? logit - highest : kLeastExponent;
}

// Two loops: in one, the choice between two values would keep the compiler from vector registers.
float block_sum(const float* logits, float highest) {
  std::array<float, kBlock> exponents;
  for (std::size_t i = 0; i < kBlock; ++i) exponents[i] = exponent_of(logits[i], highest);
  std::array<float, kLanes> sums{};
  for (std::size_t i = 0; i < kBlock; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += quick_exp(exponents[i + lane]);
  float sum = 0.0F;
  for (const float lane : sums) sum += lane;
  return sum;
}

double sum_of_exponentials(std::span<const float> logits, float highest) {
  double sum = 0.0;
  std::size_t i = 0;
  for (; i + kBlock <= logits.size(); i += kBlock)
    sum += static_cast<double>(block_sum(logits.data() + i, highest));
  for (; i < logits.size(); ++i) sum += static_cast<double>(quick_exp(exponent_of(logits[i], highest)));
  return sum;
}

// The highest so far, in order. A later equal comes behind.
class Best {
 public:
  explicit Best(std::size_t wanted) : wanted_(wanted) { best_.reserve(wanted + 1); }

  float least() const { return best_.size() < wanted_ ? kLowest : best_.back().logprob; }

  void offer(Token token, float logit) {
    if (!(logit > least())) return;
    const auto at =
        std::find_if(best_.begin(), best_.end(), [&](const Chance& c) { return c.logprob < logit; });
    best_.insert(at, {token, logit});
    if (best_.size() > wanted_) best_.pop_back();
  }

  std::vector<Chance> take() { return std::move(best_); }

 private:
  std::size_t wanted_;
  std::vector<Chance> best_;  // their logits
};

std::vector<Chance> highest_of(std::span<const float> logits, std::size_t wanted) {
  Best best(wanted);
  std::size_t i = 0;
  for (; i + kBlock <= logits.size(); i += kBlock) {
    if (!(block_max(logits.data() + i) > best.least())) continue;
    for (std::size_t j = i; j < i + kBlock; ++j) best.offer(static_cast<Token>(j), logits[j]);
  }
  for (; i < logits.size(); ++i) best.offer(static_cast<Token>(i), logits[i]);
  return best.take();
}

}  // namespace

Chances logprobs(std::span<const float> logits, Token chosen, int top) {
  if (chosen < 0 || static_cast<std::size_t>(chosen) >= logits.size())
    throw std::logic_error("a chosen token outside of the logits; expected one of the vocabulary's");
  const float highest = highest_value(logits);
  const double log_sum = std::isfinite(highest) ? std::log(sum_of_exponentials(logits, highest)) : 0.0;
  const auto of = [&](float logit) {
    const double value = static_cast<double>(logit) - static_cast<double>(highest) - log_sum;
    if (logit == highest) return static_cast<float>(-log_sum);  // an infinite highest too
    return value > static_cast<double>(kLeastLogprob) ? static_cast<float>(value) : kLeastLogprob;
  };
  Chances made{.chosen = of(logits[static_cast<std::size_t>(chosen)]), .top = {}};
  if (top <= 0) return made;
  made.top = highest_of(logits, std::min(static_cast<std::size_t>(top), logits.size()));
  for (Chance& chance : made.top) chance.logprob = of(chance.logprob);
  return made;
}

}  // namespace braid::decode
