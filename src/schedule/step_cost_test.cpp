#include "braid/schedule/step_cost.h"

#include <gtest/gtest.h>

#include <random>

namespace braid::schedule {
namespace {

constexpr double kBaseMs = 8.0;
constexpr double kRowMs = 0.5;

// Steps of 1 to 200 rows that cost what the constants above say, give or take `noise` of it.
class Machine {
 public:
  explicit Machine(unsigned seed, double noise = 0.05) : random_(seed), noise_(noise) {}

  void run(StepCost& cost, int steps, double factor = 1.0) {
    for (int i = 0; i < steps; ++i) {
      const int rows = std::uniform_int_distribution(1, 200)(random_);
      const double off = std::uniform_real_distribution(1 - noise_, 1 + noise_)(random_);
      cost.observe(rows, from_seconds((kBaseMs + kRowMs * rows) * factor * off / 1e3));
    }
  }

 private:
  std::mt19937 random_;
  double noise_;
};

double ms(const StepCost& cost, int rows) { return to_ms(cost.predict(rows)); }

StepCost wrong_guess() { return {Milliseconds(50), Microseconds(20)}; }

class StepCostSeeds : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, StepCostSeeds, ::testing::Values(1U, 2U, 3U, 4U, 5U));

TEST_P(StepCostSeeds, learns_base_and_slope_from_a_wrong_guess) {
  StepCost cost = wrong_guess();
  Machine(GetParam()).run(cost, 100);
  EXPECT_NEAR(ms(cost, 1), 8.5, 1.5);
  EXPECT_NEAR(ms(cost, 200), 108, 6);
  EXPECT_NEAR(cost.rows_within(Milliseconds(50)), 84, 6);
}

TEST_P(StepCostSeeds, has_learnt_nothing_wrong_after_a_hundred_thousand_steps) {
  StepCost cost = wrong_guess();
  Machine(GetParam()).run(cost, 100'000);
  EXPECT_NEAR(ms(cost, 1), 8.5, 1.5);
  EXPECT_NEAR(ms(cost, 200), 108, 6);
}

TEST_P(StepCostSeeds, is_moved_little_by_one_step_that_stalled) {
  StepCost cost = wrong_guess();
  Machine machine(GetParam());
  machine.run(cost, 200);
  const double before_small = ms(cost, 1);
  const double before_large = ms(cost, 100);
  cost.observe(1, std::chrono::seconds(3));
  EXPECT_NEAR(ms(cost, 1), before_small, 2.0);
  EXPECT_NEAR(ms(cost, 100), before_large, 4.0);
}

TEST_P(StepCostSeeds, follows_a_machine_that_became_three_times_slower) {
  StepCost cost = wrong_guess();
  Machine machine(GetParam());
  machine.run(cost, 200);
  machine.run(cost, 150, 3.0);
  EXPECT_NEAR(ms(cost, 100), 174, 15);
  EXPECT_NEAR(ms(cost, 1), 25.5, 8);
}

TEST_P(StepCostSeeds, keeps_the_slope_through_thousands_of_steps_of_one_row) {
  StepCost cost = wrong_guess();
  Machine machine(GetParam());
  machine.run(cost, 200);
  std::mt19937 random(GetParam());
  for (int i = 0; i < 5'000; ++i)
    cost.observe(1, from_seconds((8.5 + std::uniform_real_distribution(-0.4, 0.4)(random)) / 1e3));
  EXPECT_NEAR(ms(cost, 1), 8.5, 0.5);
  EXPECT_NEAR(ms(cost, 100), 58, 15);
  machine.run(cost, 5);
  EXPECT_NEAR(ms(cost, 100), 58, 15) << "forgetting must not leave it open to anything";
}

TEST(StepCost, starts_from_its_guess) {
  const StepCost cost(Milliseconds(10), Milliseconds(1));
  EXPECT_EQ(cost.predict(5), Milliseconds(15));
  EXPECT_EQ(cost.rows_within(Milliseconds(30)), 20);
}

TEST(StepCost, gives_one_row_at_least_and_any_number_where_rows_cost_nothing) {
  const StepCost cost(Milliseconds(10), Milliseconds(1));
  EXPECT_EQ(cost.rows_within(Milliseconds(3)), 1);
  EXPECT_EQ(cost.rows_within(Milliseconds(-3)), 1);
  EXPECT_GT(StepCost(Milliseconds(1), Nanoseconds(0)).rows_within(Milliseconds(5)), 1'000'000);
  EXPECT_EQ(StepCost(Milliseconds(10), Nanoseconds(0)).rows_within(Milliseconds(5)), 1);
}

TEST(StepCost, stays_flat_at_the_mean_where_larger_steps_are_faster) {
  StepCost cost(Milliseconds(10), Milliseconds(1));
  std::mt19937 random(9);
  for (int i = 0; i < 2'000; ++i) {
    const int rows = std::uniform_int_distribution(1, 512)(random);
    cost.observe(rows, Milliseconds(600 - rows));
    ASSERT_GE(cost.predict(0), Nanoseconds(0));
    ASSERT_GE(cost.predict(512), cost.predict(1));
    ASSERT_GE(cost.rows_within(Milliseconds(50)), 1);
    if (i > 200) {
      ASSERT_NEAR(ms(cost, 256), 344, 60);
    }
  }
}

TEST(StepCost, goes_through_nothing_where_the_base_would_be_negative) {
  StepCost cost(Milliseconds(10), Milliseconds(1));
  std::mt19937 random(9);
  for (int i = 0; i < 2'000; ++i) {
    const int rows = std::uniform_int_distribution(60, 512)(random);
    cost.observe(rows, Milliseconds(2 * rows - 100));
    ASSERT_GE(cost.predict(0), Nanoseconds(0));
    if (i > 200) {
      ASSERT_NEAR(ms(cost, 256), 436, 20);
    }
  }
}

TEST(StepCost, learns_nothing_from_steps_without_rows_or_with_negative_times) {
  StepCost cost(Milliseconds(10), Milliseconds(1));
  cost.observe(0, Milliseconds(500));
  cost.observe(-3, Milliseconds(500));
  cost.observe(4, Milliseconds(-1));
  EXPECT_EQ(cost.predict(5), Milliseconds(15));
}

}  // namespace
}  // namespace braid::schedule
