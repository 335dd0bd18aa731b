// Penalties, biases and filters.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "braid/decode/sampler.h"

namespace braid::decode {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> some_logits(std::mt19937& random, std::size_t n) {
  std::vector<float> logits(n);
  for (float& logit : logits) logit = static_cast<float>(random() % 1000) / 100.0F;
  return logits;
}

/// The formula of OpenAI's documentation, as it stands there.
std::vector<float> reference(std::vector<float> logits, const Sampling& options,
                             const std::vector<Token>& generated) {
  for (const auto& [token, bias] : options.logit_bias)
    if (token >= 0 && static_cast<std::size_t>(token) < logits.size())
      logits[static_cast<std::size_t>(token)] += bias;
  std::map<Token, int> counts;
  for (const Token token : generated) ++counts[token];
  for (const auto& [token, count] : counts)
    logits[static_cast<std::size_t>(token)] -= static_cast<float>(count) * options.frequency_penalty +
                                               (count > 0 ? 1.0F : 0.0F) * options.presence_penalty;
  return logits;
}

TEST(SamplerPenalties, EqualTheDocumentedFormula) {
  std::mt19937 random(5);
  for (const float temperature : {0.0F, 1.0F})
    for (const auto& [frequency, presence] :
         {std::pair{0.5F, 0.0F}, {0.0F, 0.7F}, {1.3F, -0.4F}, {-2.0F, 2.0F}}) {
      Sampling options{.temperature = temperature,
                       .seed = 9,
                       .frequency_penalty = frequency,
                       .presence_penalty = presence,
                       .logit_bias = {{3, 2.5F}, {7, -100.0F}, {900, 1.0F}, {-1, 1.0F}}};
      Sampling plain{.temperature = temperature, .seed = 9};
      Sampler sampler(options);
      Sampler judge(plain);
      std::vector<Token> generated;
      for (int i = 0; i < 60; ++i) {
        const std::vector<float> logits = some_logits(random, 40);
        const Token token = sampler.sample(logits);
        ASSERT_EQ(token, judge.sample(reference(logits, options, generated))) << i;
        sampler.accept(token);
        generated.push_back(token);
      }
    }
}

TEST(SamplerPenalties, AreOfWhatWasGeneratedNotOfWhatWasSampled) {
  Sampler sampler({.presence_penalty = 5.0F});
  const std::vector<float> logits{1.0F, 2.0F};
  EXPECT_EQ(sampler.sample(logits), 1);
  EXPECT_EQ(sampler.sample(logits), 1) << "nothing was accepted yet";
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(logits), 0);
}

TEST(SamplerPenalties, ABiasOfAHundredDecides) {
  std::mt19937 random(6);
  const std::vector<float> logits = some_logits(random, 300);
  Sampler always({.temperature = 2.0F, .logit_bias = {{17, 100.0F}}});
  Sampling never_options{.temperature = 2.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F};
  for (Token token = 1; token < 300; ++token) never_options.logit_bias.emplace_back(token, -100.0F);
  Sampler never(never_options);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(always.sample(logits), 17);
    EXPECT_EQ(never.sample(logits), 0);
  }
}

/// Allows a set of tokens, and counts what it was asked.
class SetFilter final : public engine::TokenFilter {
 public:
  explicit SetFilter(std::set<Token> allowed) : allowed_(std::move(allowed)) {}
  bool allows(Token token) override { return allowed_.contains(token); }
  void apply(std::span<float> logits) override {
    ++masks;
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (!allowed_.contains(static_cast<Token>(i))) logits[i] = -kInfinity;
  }
  void accept(Token) override {}
  Status status() const override { return {}; }

  int masks = 0;

 private:
  std::set<Token> allowed_;
};

TEST(SamplerFilter, IsMaskedOnlyWhenTheDrawIsForbidden) {
  const std::vector<float> logits{1.0F, 5.0F, 3.0F};
  SetFilter kind({1, 2});
  EXPECT_EQ(Sampler({}).sample(logits, &kind), 1);
  EXPECT_EQ(kind.masks, 0);
  SetFilter strict({0, 2});
  EXPECT_EQ(Sampler({}).sample(logits, &strict), 2);
  EXPECT_EQ(strict.masks, 1);
}

TEST(SamplerFilter, DrawsAsOftenAsTheAllowedProbabilitiesSay) {
  Sampling options{.temperature = 1.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F, .seed = 4};
  Sampler sampler(options);
  const std::vector<float> logits{std::log(0.4F), std::log(0.3F), std::log(0.2F), std::log(0.1F)};
  SetFilter filter({1, 3});
  std::map<Token, int> counts;
  for (int i = 0; i < 20'000; ++i) ++counts[sampler.sample(logits, &filter)];
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_NEAR(counts[1], 15'000, 400);
  EXPECT_NEAR(counts[3], 5'000, 400);
}

TEST(SamplerFilter, BindsPenalisedLogitsToo) {
  Sampler sampler({.presence_penalty = 10.0F});
  sampler.accept(2);
  SetFilter filter({0, 2});
  EXPECT_EQ(sampler.sample(std::vector<float>{1.0F, 5.0F, 3.0F}, &filter), 0);
}

}  // namespace
}  // namespace braid::decode
