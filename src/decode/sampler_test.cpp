#include "braid/decode/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace braid::decode {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Everything off but temperature 1.
Sampling plain(std::uint64_t seed = 1) {
  return {.temperature = 1.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F, .seed = seed};
}

// Logits of tokens 0, 1, ... with these probabilities.
std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (double p : probabilities) logits.push_back(static_cast<float>(std::log(p)) + 3.0F);
  return logits;
}

std::map<Token, int> drawn(Sampling options, const std::vector<float>& logits, int times = 20'000) {
  Sampler sampler(options);
  std::map<Token, int> counts;
  for (int i = 0; i < times; ++i) ++counts[sampler.sample(logits)];
  return counts;
}

TEST(Argmax, finds_the_highest_at_any_place_of_any_length) {
  for (std::size_t n = 1; n < 800; n += 13)
    for (std::size_t at = 0; at < n; at += 7) {
      std::vector<float> logits(n, -2.0F);
      logits[at] = -1.0F;
      ASSERT_EQ(argmax(logits), static_cast<Token>(at)) << "of " << n;
    }
}

TEST(Argmax, takes_the_lowest_id_among_equals_and_equals_a_plain_scan) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<float> logits(static_cast<std::size_t>(std::uniform_int_distribution(1, 900)(random)));
    for (float& logit : logits) logit = static_cast<float>(std::uniform_int_distribution(-9, 9)(random));
    const auto expected = std::max_element(logits.begin(), logits.end()) - logits.begin();
    ASSERT_EQ(argmax(logits), static_cast<Token>(expected));
  }
}

TEST(Argmax, is_not_misled_by_what_is_no_number) {
  std::vector<float> logits(600, kNan);
  EXPECT_EQ(argmax(logits), 0);
  logits[411] = -5.0F;
  EXPECT_EQ(argmax(logits), 411);
  EXPECT_EQ(argmax(std::vector<float>(600, -kInfinity)), 0);
  EXPECT_EQ(argmax(std::vector<float>{kNan, -kInfinity}), 0);
}

TEST(Sampler, is_greedy_at_temperature_zero_and_below) {
  const std::vector<float> logits{1, 5, 5, 2};
  EXPECT_EQ(Sampler({}).sample(logits), 1);
  EXPECT_EQ(Sampler({.temperature = -1.0F}).sample(logits), 1);
  EXPECT_EQ(Sampler({.temperature = kNan}).sample(logits), 1);
}

TEST(Sampler, refuses_no_logits_at_all) { EXPECT_THROW(Sampler({}).sample({}), std::logic_error); }

TEST(Sampler, draws_as_often_as_the_probabilities_say) {
  const auto counts = drawn(plain(), logits_of({0.5, 0.3, 0.2}));
  EXPECT_NEAR(counts.at(0), 10'000, 400);
  EXPECT_NEAR(counts.at(1), 6'000, 400);
  EXPECT_NEAR(counts.at(2), 4'000, 400);
}

TEST(Sampler, flattens_by_temperature) {
  Sampling options = plain();
  options.temperature = 2.0F;  // probabilities go by their square roots: 0.9 and 0.1 become 3 : 1
  EXPECT_NEAR(drawn(options, logits_of({0.9, 0.1})).at(1), 5'000, 400);
}

TEST(Sampler, draws_among_the_top_k_with_the_lowest_ids_among_equals) {
  Sampling options = plain();
  options.top_k = 2;
  const auto counts = drawn(options, {1, 3, 2, 2, 2}, 500);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_TRUE(counts.contains(1));
  EXPECT_TRUE(counts.contains(2));
}

TEST(Sampler, drops_what_is_less_likely_than_min_p_of_the_likeliest) {
  Sampling options = plain();
  options.min_p = 0.25F;
  const auto counts = drawn(options, logits_of({0.5, 0.2, 0.14, 0.1, 0.06}), 2'000);
  EXPECT_EQ(counts.size(), 3U) << "0.125 is the least";
  EXPECT_FALSE(counts.contains(3));
}

TEST(Sampler, keeps_the_fewest_that_reach_top_p) {
  Sampling options = plain();
  options.top_p = 0.7F;
  const auto counts = drawn(options, logits_of({0.1, 0.5, 0.15, 0.25}), 2'000);
  EXPECT_EQ(counts.size(), 2U) << "0.5 and 0.25";
  EXPECT_TRUE(counts.contains(1));
  EXPECT_TRUE(counts.contains(3));
  options.top_p = 0.0F;
  EXPECT_EQ(drawn(options, logits_of({0.1, 0.5, 0.4}), 200).size(), 1U);
}

TEST(Sampler, takes_top_p_of_what_min_p_left) {
  Sampling options = plain();
  options.min_p = 0.5F;  // leaves 0.4 and 0.3: 57 % and 43 %
  options.top_p = 0.56F;
  EXPECT_EQ(drawn(options, logits_of({0.4, 0.3, 0.15, 0.15}), 500).size(), 1U);
}

TEST(Sampler, gives_the_same_draws_for_the_same_seed_and_others_for_another) {
  std::vector<float> logits(200);
  std::iota(logits.begin(), logits.end(), 0.0F);
  for (float& logit : logits) logit = std::fmod(logit * 0.37F, 3.0F);
  const auto draws = [&](std::uint64_t seed) {
    Sampler sampler(plain(seed));
    std::vector<Token> tokens;
    for (int i = 0; i < 50; ++i) tokens.push_back(sampler.sample(logits));
    return tokens;
  };
  EXPECT_EQ(draws(42), draws(42));
  EXPECT_NE(draws(42), draws(43));
}

TEST(Sampler, draws_what_was_drawn_when_this_was_written) {
  const std::vector<float> even(10,
                                0.0F);  // a token a tenth of [0, 1): what the generator's bits alone decide
  Sampler sampler(plain(7));
  std::string tokens;
  for (int i = 0; i < 12; ++i) tokens += static_cast<char>('0' + sampler.sample(even));
  EXPECT_EQ(tokens, "791810892775");
}

TEST(Sampler, survives_logits_that_are_no_numbers) {
  Sampling options = plain();
  EXPECT_EQ(Sampler(options).sample(std::vector<float>(9, kNan)), 0);
  EXPECT_EQ(Sampler(options).sample(std::vector<float>{1, kInfinity, 2}), 1);
  EXPECT_EQ(Sampler(options).sample(std::vector<float>(9, -kInfinity)), 0);
  const auto counts = drawn(options, {kNan, 1.0F, -kInfinity, 1.0F}, 500);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_TRUE(counts.contains(1));
  EXPECT_TRUE(counts.contains(3));
}

}  // namespace
}  // namespace braid::decode
