#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "planner_fixture.h"

namespace braid::schedule {
namespace {

struct Case {
  unsigned seed;
  bool beside;
  bool deterministic;
};

// Random jobs of all kinds with answers decoding all the while, run to their end.
class PlannerProperty : public ::testing::TestWithParam<Case>, protected PlannerFixture {
 protected:
  static constexpr int kMaxRows = 24;

  PlanOptions options() const {
    PlanOptions options;
    options.max_rows = kMaxRows;
    options.perceive_beside_question = GetParam().beside;
    options.deterministic = GetParam().deterministic;
    options.deterministic_rows = 7;
    return options;
  }
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  std::string any_text() {
    std::string text;
    for (int i = pick(1, 12); i > 0; --i) text += pick(0, 4) == 0 ? static_cast<char>('0' + pick(1, 9)) : 'x';
    return text;
  }
  void add_jobs() {
    const RowKind kind = std::array{RowKind::kQuestion, RowKind::kPerception, RowKind::kRebuild}[pick(0, 2)];
    const int sequence =
        kind == RowKind::kQuestion ? next_question_++ : pick(0, 2) + 3 * (kind == RowKind::kRebuild);
    const std::string text = any_text();
    Position& end = ends_[sequence];
    job(kind, sequence, text, end);
    end += prompt_of(text).positions();
  }
  void check_order() {
    for (const Row& row : planned.plan.rows)
      if (row.kind != RowKind::kDecode) {
        ASSERT_EQ(row.position, next_position_[row.sequence]++)
            << "rows of a sequence left out or out of order";
      }
  }
  void check_company() {
    const StepPlan& plan = planned.plan;
    ASSERT_LE(plan.rows.size(), static_cast<std::size_t>(kMaxRows));
    const bool others = plan.count(RowKind::kPerception) + plan.count(RowKind::kRebuild) > 0;
    ASSERT_FALSE(plan.count(RowKind::kQuestion) > 0 && others && !GetParam().beside);
    ASSERT_EQ(plan.non_causal, asked_alone_ > 0) << "an indivisible medium and no other thing is non-causal";
    if (plan.non_causal) {
      ASSERT_EQ(plan.rows.size(), static_cast<std::size_t>(asked_alone_));
    }
    if (GetParam().deterministic) {
      ASSERT_TRUE(planned.decodes == 0 || planned.shares.empty());
      ASSERT_LE(planned.shares.size(), 1U);
    }
  }
  // Now and then a question begins to wait for a timeline that others need as much.
  void begin_to_wait() {
    if (ready.perception.empty() || pick(0, 9) > 0) return;
    const SequenceId sequence = ready.perception.front()->sequence();
    const auto is_others = [&](const PrefillJob* job) { return job->sequence() != sequence; };
    const auto wanted = std::stable_partition(ready.perception.begin(), ready.perception.end(), is_others);
    ready.awaited.insert(ready.awaited.end(), wanted, ready.perception.end());
    ready.perception.erase(wanted, ready.perception.end());
  }
  // Plans; `asked_alone_`: rows of the indivisible medium that the only share began with.
  void plan(Planner& planner) {
    std::map<const PrefillJob*, int> media;
    for (const auto* jobs : {&ready.questions, &ready.awaited, &ready.perception, &ready.rebuilds})
      for (const PrefillJob* job : *jobs) media[job] = job->indivisible_next();
    step(planner);
    asked_alone_ = 0;
    for (const auto& share : planned.shares) asked_alone_ = std::max(asked_alone_, media.at(share.job));
  }
  bool all_done() const {
    const auto done = [](const PrefillJob* job) { return job->done(); };
    return std::all_of(ready.questions.begin(), ready.questions.end(), done) &&
           std::all_of(ready.awaited.begin(), ready.awaited.end(), done) &&
           std::all_of(ready.perception.begin(), ready.perception.end(), done) &&
           std::all_of(ready.rebuilds.begin(), ready.rebuilds.end(), done);
  }

  std::mt19937 random_{GetParam().seed};
  std::map<int, Position> ends_;
  std::map<SequenceId, Position> next_position_;
  int next_question_ = 100;
  int asked_alone_ = 0;
};

TEST_P(PlannerProperty, everything_runs_once_in_order_within_bounds_and_no_answer_waits_two_steps) {
  Planner planner(options(), forty_rows());
  for (int sequence = 50; sequence < 53; ++sequence) decoding(sequence);
  int without_decodes = 0;
  for (int i = 0; i < 3'000; ++i) {
    if (i < 1'000 && pick(0, 2) == 0) add_jobs();
    begin_to_wait();
    plan(planner);
    check_order();
    check_company();
    if (HasFatalFailure()) FAIL() << "plan " << i;
    without_decodes = planned.decodes == 0 ? without_decodes + 1 : 0;
    ASSERT_LT(without_decodes, 2) << "plan " << i;
    for (auto* jobs : {&ready.questions, &ready.awaited, &ready.perception, &ready.rebuilds})
      std::erase_if(*jobs, [](const PrefillJob* job) { return job->done(); });
  }
  EXPECT_TRUE(all_done()) << "something starved";
  for (const auto& [sequence, end] : ends_) EXPECT_EQ(next_position_[SequenceId{sequence}], end);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlannerProperty,
                         ::testing::Values(Case{1, false, false}, Case{2, false, false}, Case{3, true, false},
                                           Case{4, true, false}, Case{5, false, true}, Case{6, false, true}));

// Where a deterministic planner cuts a job's rows.
std::vector<int> cuts(StepCost cost, int decodes, bool with_rebuild) {
  PlannerFixture fixture;
  for (int i = 0; i < decodes; ++i) fixture.decoding(10 + i);
  PrefillJob* chunk = fixture.perception(1, "aaaaaaaaaaaaaaaaaaaa5bbb");
  if (with_rebuild) fixture.rebuild(2, "cccccccc");
  Planner planner({.deterministic = true, .deterministic_rows = 8}, cost);
  std::vector<int> at;
  for (int i = 0; i < 100 && !chunk->done(); ++i) {
    fixture.step(planner);
    if (!fixture.planned.shares.empty()) at.push_back(fixture.planned.shares[0].rows);
  }
  return at;
}

TEST(DeterministicPlanner, cuts_a_job_at_the_same_places_whatever_else_runs_and_however_long_it_takes) {
  const std::vector<int> expected{8, 8, 4, 5, 3};
  EXPECT_EQ(cuts(forty_rows(), 0, false), expected);
  EXPECT_EQ(cuts(forty_rows(), 3, true), expected);
  EXPECT_EQ(cuts(StepCost(std::chrono::seconds(1), Milliseconds(9)), 1, false), expected);
}

TEST(DeterministicPlanner, alternates_decode_rows_and_jobs_questions_first) {
  PlannerFixture fixture;
  Planner planner({.deterministic = true, .deterministic_rows = 4}, forty_rows());
  fixture.rebuild(3, "rr");
  fixture.perception(1, "pppppp");
  fixture.question(2, "qqqqqq");
  fixture.decoding(8);
  fixture.decoding(9);
  std::vector<std::string> steps;
  for (int i = 0; i < 11; ++i) steps.push_back(fixture.step(planner));
  EXPECT_EQ(steps,
            (std::vector<std::string>{"2d", "4q", "2d", "2q", "2d", "4p", "2d", "2p", "2d", "2r", "2d"}));
}

}  // namespace
}  // namespace braid::schedule
