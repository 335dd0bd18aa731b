#include "braid/decode/chances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

namespace braid::decode {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> bell(std::size_t n, unsigned seed, float width = 3.0F) {
  std::mt19937 random(seed);
  std::vector<float> logits(n);
  for (float& logit : logits) logit = (static_cast<float>(random()) / 4294967296.0F - 0.5F) * 10.0F * width;
  return logits;
}

/// By the definition, in double precision.
std::vector<double> reference(const std::vector<float>& logits) {
  const double highest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - highest);
  std::vector<double> all;
  for (const float logit : logits) all.push_back(static_cast<double>(logit) - highest - std::log(sum));
  return all;
}

TEST(Logprobs, AreTheLogSoftmaxOfTheLogits) {
  for (const std::size_t n : {1U, 5U, 255U, 256U, 257U, 1000U, 49152U}) {
    const std::vector<float> logits = bell(n, static_cast<unsigned>(n));
    const std::vector<double> expected = reference(logits);
    for (std::size_t i = 0; i < n; i += 1 + n / 20)
      ASSERT_NEAR(static_cast<double>(logprobs(logits, static_cast<Token>(i), 0).chosen), expected[i], 1e-5)
          << n;
  }
}

TEST(Logprobs, SumToOne) {
  for (const float width : {0.01F, 1.0F, 30.0F}) {
    const std::vector<float> logits = bell(2000, 3, width);
    double sum = 0;
    for (const Chance& chance : logprobs(logits, 0, 2000).top)
      sum += std::exp(static_cast<double>(chance.logprob));
    EXPECT_NEAR(sum, 1.0, 1e-5) << width;
  }
}

TEST(Logprobs, TheTopAreTheLikeliestInOrderTheLowestIdFirst) {
  for (const std::size_t n : {3U, 300U, 3000U}) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<float> logits(n);
    for (float& logit : logits) logit = static_cast<float>(random() % 50);  // many equals
    std::vector<Token> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) {
      return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    const Chances made = logprobs(logits, 1, 20);
    ASSERT_EQ(made.top.size(), std::min<std::size_t>(20, n));
    for (std::size_t i = 0; i < made.top.size(); ++i) {
      EXPECT_EQ(made.top[i].token, order[i]);
      EXPECT_EQ(made.top[i].logprob, logprobs(logits, order[i], 0).chosen);
    }
  }
}

TEST(Logprobs, OfWhatCantBeAreTheLeast) {
  const Chances made = logprobs(std::vector<float>{0.0F, -kInfinity, kNan, -30'000.0F}, 1, 4);
  EXPECT_EQ(made.chosen, kLeastLogprob);
  ASSERT_EQ(made.top.size(), 2U) << "nothing impossible among the likeliest";
  EXPECT_EQ(made.top[0].token, 0);
  EXPECT_NEAR(made.top[0].logprob, 0.0F, 1e-6F);
  EXPECT_EQ(made.top[1].logprob, kLeastLogprob);
}

TEST(Logprobs, SurviveLogitsThatAreNoNumbers) {
  for (const float strange : {kNan, kInfinity, -kInfinity}) {
    const Chances made = logprobs(std::vector<float>(700, strange), 5, 3);
    EXPECT_TRUE(std::isfinite(made.chosen)) << strange;
    for (const Chance& chance : made.top) EXPECT_TRUE(std::isfinite(chance.logprob)) << strange;
  }
}

TEST(Logprobs, RefuseATokenThatIsNone) {
  EXPECT_THROW(logprobs({}, 0, 0), std::logic_error);
  EXPECT_THROW(logprobs(std::vector<float>{1.0F}, 1, 0), std::logic_error);
  EXPECT_THROW(logprobs(std::vector<float>{1.0F}, -1, 0), std::logic_error);
}

}  // namespace
}  // namespace braid::decode
