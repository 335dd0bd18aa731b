#include "braid/schedule/planner.h"

#include <gtest/gtest.h>

#include "planner_fixture.h"

namespace braid::schedule {
namespace {

std::string letters(int n) { return std::string(static_cast<std::size_t>(n), 'x'); }

PlanOptions beside() {
  PlanOptions options;
  options.perceive_beside_question = true;
  return options;
}

PlanOptions at_most(int rows) {
  PlanOptions options;
  options.max_rows = rows;
  return options;
}

class PlannerTest : public ::testing::Test, protected PlannerFixture {
 protected:
  Planner planner_{PlanOptions{}, forty_rows()};
};

TEST_F(PlannerTest, gives_an_empty_plan_when_nothing_is_to_do) {
  EXPECT_EQ(step(planner_), "");
  perception(1, "ab");
  EXPECT_EQ(step(planner_), "2p");
  EXPECT_EQ(step(planner_), "") << "finished jobs are passed over";
  EXPECT_TRUE(planned.shares.empty());
}

TEST_F(PlannerTest, puts_decode_rows_first_each_with_its_logits) {
  decoding(5);
  decoding(6);
  PrefillJob* chunk = perception(1, "abc");
  EXPECT_EQ(step(planner_), "2d 3p");
  EXPECT_EQ(planned.decodes, 2U);
  const Row& row = planned.plan.rows[1];
  EXPECT_EQ(row.sequence, SequenceId{6});
  EXPECT_EQ(row.token, 'd');
  EXPECT_EQ(row.position, 50);
  EXPECT_EQ(row.y, 50);
  EXPECT_EQ(row.x, 50);
  EXPECT_TRUE(row.wants_logits);
  EXPECT_EQ(row.kind, RowKind::kDecode);
  ASSERT_EQ(planned.shares.size(), 1U);
  EXPECT_EQ(planned.shares[0].job, chunk);
  EXPECT_EQ(planned.shares[0].rows, 3);
}

TEST_F(PlannerTest, keeps_perception_and_rebuilds_out_of_a_plan_with_question_rows) {
  decoding(5);
  perception(1, "abc");
  rebuild(2, "abc");
  PrefillJob* first = question(6, letters(30));
  PrefillJob* second = question(7, letters(80));
  EXPECT_EQ(step(planner_), "1d 89q");
  EXPECT_TRUE(first->done());
  EXPECT_TRUE(planned.plan.rows[30].wants_logits) << "the first question's last row";
  EXPECT_FALSE(planned.plan.rows.back().wants_logits);
  EXPECT_EQ(step(planner_), "1d 21q");
  EXPECT_TRUE(second->done());
  EXPECT_EQ(step(planner_), "1d 3p 3r");
}

TEST_F(PlannerTest, perceives_beside_a_question_where_rows_are_nearly_free) {
  Planner planner(beside(), forty_rows());
  question(6, letters(10));
  perception(1, letters(20));
  rebuild(2, letters(50));
  EXPECT_EQ(step(planner), "10q 20p 10r");
}

TEST_F(PlannerTest, perceives_a_row_beside_a_question_that_takes_all) {
  Planner planner(beside(), forty_rows());
  question(6, letters(100));
  perception(1, letters(20));
  EXPECT_EQ(step(planner), "40q 1p");
}

TEST_F(PlannerTest, fills_the_time_target_and_no_more) {
  perception(1, letters(100));
  EXPECT_EQ(step(planner_), "40p");
  decoding(5);
  EXPECT_EQ(step(planner_), "1d 39p");
  EXPECT_EQ(step(planner_), "1d 21p");
}

TEST_F(PlannerTest, follows_the_cost_that_steps_turn_out_to_have) {
  for (int i = 0; i < 200; ++i) {
    const int rows = 1 + 37 * i % 100;
    planner_.cost().observe(rows, Milliseconds(10 + 4 * rows));
  }
  perception(1, letters(100));
  step(planner_);
  EXPECT_NEAR(planned.shares.at(0).rows, 10, 1);
}

TEST_F(PlannerTest, gives_perception_a_row_even_when_decodes_alone_pass_the_target) {
  for (int i = 0; i < 45; ++i) decoding(10 + i);
  perception(1, letters(5));
  rebuild(2, letters(5));
  EXPECT_EQ(step(planner_), "45d 1p");
}

TEST_F(PlannerTest, gives_a_question_a_row_even_when_decodes_alone_pass_the_target) {
  for (int i = 0; i < 45; ++i) decoding(10 + i);
  question(6, letters(50));
  EXPECT_EQ(step(planner_), "45d 1q");
}

TEST_F(PlannerTest, does_not_cut_a_question_that_ends_within_twice_the_target) {
  decoding(5);
  question(6, letters(89));
  question(7, letters(60));
  EXPECT_EQ(step(planner_), "1d 89q");
  EXPECT_EQ(step(planner_), "1d 60q");
  question(8, letters(90));
  EXPECT_EQ(step(planner_), "1d 39q");
  EXPECT_EQ(step(planner_), "1d 51q");
}

TEST_F(PlannerTest, takes_a_target_for_each_question_that_waits_up_to_four) {
  Planner planner({}, forty_rows());
  decoding(0);
  for (int i = 1; i <= 2; ++i) question(i, std::string(200, 'q'));
  EXPECT_EQ(step(planner), "1d 89q");  // 100 ms
  for (int i = 3; i <= 8; ++i) question(i, std::string(200, 'q'));
  EXPECT_EQ(step(planner), "1d 189q");  // 200 ms
}

TEST_F(PlannerTest, gives_perception_no_more_where_questions_queue) {
  Planner planner({.perceive_beside_question = true}, forty_rows());
  perception(9, std::string(300, 'p'));
  for (int i = 1; i <= 4; ++i) question(i, std::string(10, 'q'));
  EXPECT_EQ(step(planner), "40q 1p");
}

TEST_F(PlannerTest, gives_a_rebuild_that_row_when_no_perception_waits) {
  for (int i = 0; i < 45; ++i) decoding(10 + i);
  rebuild(2, letters(5));
  EXPECT_EQ(step(planner_), "45d 1r");
}

TEST_F(PlannerTest, never_passes_the_engines_rows_and_keeps_one_for_what_waits) {
  Planner planner(at_most(8), forty_rows());
  for (int i = 0; i < 9; ++i) decoding(10 + i);
  EXPECT_EQ(step(planner), "8d");
  perception(1, letters(5));
  EXPECT_EQ(step(planner), "7d 1p");
  ready.decodes.clear();
  question(6, letters(20));
  EXPECT_EQ(step(planner), "8q");
}

TEST_F(PlannerTest, keeps_the_order_of_jobs_on_one_sequence) {
  Planner planner(at_most(6), forty_rows());
  PrefillJob* first = perception(1, "abcd");
  PrefillJob* second = perception(1, "efgh", 4);
  step(planner);
  ASSERT_EQ(planned.shares.size(), 2U);
  EXPECT_EQ(planned.shares[0].job, first);
  EXPECT_EQ(planned.shares[1].job, second);
  EXPECT_EQ(planned.shares[1].rows, 2);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(planned.plan.rows[static_cast<std::size_t>(i)].position, i);
}

TEST_F(PlannerTest, reuses_the_plans_memory) {
  perception(1, letters(300));
  decoding(5);
  step(planner_);
  const Row* rows = planned.plan.rows.data();
  const Planned::Share* shares = planned.shares.data();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(step(planner_), "1d 39p");
  EXPECT_EQ(planned.plan.rows.data(), rows);
  EXPECT_EQ(planned.shares.data(), shares);
}

TEST_F(PlannerTest, runs_an_indivisible_medium_alone) {
  perception(1, "ab6c");
  EXPECT_EQ(step(planner_), "2p");
  EXPECT_EQ(step(planner_), "[6p]");
  EXPECT_EQ(step(planner_), "1p");
  EXPECT_FALSE(planned.plan.non_causal);
}

TEST_F(PlannerTest, takes_turns_between_media_and_answers_that_decode) {
  decoding(5);
  perception(1, "9a");
  perception(2, "9b");
  EXPECT_EQ(step(planner_), "[9p]");
  EXPECT_EQ(step(planner_), "1d 1p");
  EXPECT_EQ(step(planner_), "[9p]");
  EXPECT_EQ(step(planner_), "1d 1p");
  EXPECT_EQ(step(planner_), "1d");
}

TEST_F(PlannerTest, runs_media_one_after_the_other_when_nothing_else_waits) {
  perception(1, "999");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(step(planner_), "[9p]");
}

TEST_F(PlannerTest, does_not_let_a_question_wait_for_a_medium_it_does_not_depend_on) {
  perception(1, "9");
  question(6, letters(95));
  decoding(5);
  EXPECT_EQ(step(planner_), "1d 39q");
  EXPECT_EQ(step(planner_), "1d 56q");
  EXPECT_EQ(step(planner_), "[9p]");
}

TEST_F(PlannerTest, lets_later_jobs_of_a_sequence_wait_for_its_medium) {
  perception(1, "a9");
  perception(1, "b", 10);
  perception(2, "c");
  EXPECT_EQ(step(planner_), "2p") << "a and c";
  EXPECT_EQ(step(planner_), "[9p]");
  EXPECT_EQ(step(planner_), "1p");
}

TEST_F(PlannerTest, plans_a_medium_larger_than_the_target_for_else_it_would_never_run) {
  Planner planner({.step_target = Milliseconds(12)}, forty_rows());
  perception(1, "9");
  EXPECT_EQ(step(planner), "[9p]");
}

TEST_F(PlannerTest, gives_a_step_its_least_rows_where_none_would_fit_the_target) {
  Planner planner({.min_rows = 4, .step_target = Milliseconds(1)}, forty_rows());
  perception(1, "abcdefg");
  EXPECT_EQ(step(planner), "4p");
}

TEST_F(PlannerTest, takes_all_that_is_awaited_at_once_and_before_what_is_not) {
  Planner planner({.min_rows = 4, .step_target = Milliseconds(1)}, forty_rows());
  ready.question_waits = true;
  PrefillJob* other = perception(1, "abcdefg");
  PrefillJob* first = awaited(2, "abc");
  PrefillJob* second = awaited(2, "abc");
  EXPECT_EQ(step(planner), "6p");
  EXPECT_TRUE(first->done() && second->done());
  EXPECT_EQ(other->rows_left(), 7) << "nobody waits for it";
  EXPECT_EQ(step(planner), "4p");
}

TEST_F(PlannerTest, keeps_to_the_target_beside_answers_and_takes_what_is_awaited_first) {
  Planner planner({.min_rows = 4, .step_target = Milliseconds(1)}, forty_rows());
  decoding(3);
  PrefillJob* other = perception(1, "abcdefg");
  PrefillJob* wanted = awaited(2, "abcd");
  EXPECT_EQ(step(planner), "1d 3p");
  EXPECT_EQ(wanted->rows_left(), 1);
  EXPECT_EQ(step(planner), "1d 3p");
  EXPECT_TRUE(wanted->done());
  EXPECT_EQ(other->rows_left(), 5);
}

}  // namespace
}  // namespace braid::schedule
