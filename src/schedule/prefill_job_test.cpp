#include "braid/schedule/prefill_job.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace braid::schedule {
namespace {

constexpr SequenceId kSequence{3};

EmbeddingRun medium(int rows, bool indivisible = false) {
  EmbeddingRun run;
  auto matrix = std::make_shared<Matrix>(static_cast<std::size_t>(rows), 2);
  run.rows = matrix;
  run.positions = rows;
  run.indivisible = indivisible;
  return run;
}

TEST(PrefillJob, emits_tokens_and_media_in_order_at_running_positions) {
  Prompt prompt;
  prompt.append(TokenRun{10, 11});
  const EmbeddingRun picture = medium(2);
  prompt.pieces.push_back(picture);
  prompt.append(TokenRun{12});
  const PrefillJob job(kSequence, 100, prompt, RowKind::kPerception, true);
  StepPlan plan;
  ASSERT_EQ(job.emit(plan, 99), 5);
  EXPECT_EQ(plan.rows[1].token, 11);
  EXPECT_EQ(plan.rows[2].token, -1);
  EXPECT_EQ(plan.rows[3].embedding, picture.rows->row(1).data());
  EXPECT_EQ(plan.rows[4].token, 12);
  for (int i = 0; i < 5; ++i) {
    const Row& row = plan.rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(row.position, 100 + i);
    EXPECT_EQ(row.y, 100 + i);
    EXPECT_EQ(row.x, 100 + i);
    EXPECT_EQ(row.sequence, kSequence);
    EXPECT_EQ(row.kind, RowKind::kPerception);
    EXPECT_EQ(row.wants_logits, i == 4);
  }
}

TEST(PrefillJob, places_the_rows_of_a_grid_relative_to_its_first_position) {
  EmbeddingRun picture = medium(4);
  picture.grid = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}};
  picture.positions = 2;
  Prompt prompt;
  prompt.append(TokenRun{1});
  prompt.pieces.push_back(picture);
  prompt.append(TokenRun{2});
  PrefillJob job(kSequence, 10, prompt, RowKind::kPerception, false);
  job.commit(3);
  EXPECT_EQ(job.position(), 11) << "inside the medium: its first";
  StepPlan plan;
  ASSERT_EQ(job.emit(plan, 99), 3);
  EXPECT_EQ(plan.rows[0].position, 11);
  EXPECT_EQ(plan.rows[0].y, 12);
  EXPECT_EQ(plan.rows[0].x, 11);
  EXPECT_EQ(plan.rows[1].x, 12);
  EXPECT_EQ(plan.rows[2].position, 13) << "two positions after the medium's first";
  EXPECT_EQ(plan.rows[2].x, 13);
  job.commit(3);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(job.position(), 14);
}

TEST(PrefillJob, emits_the_same_rows_in_parts_and_wants_logits_of_the_very_last_alone) {
  Prompt prompt;
  prompt.append(TokenRun{1, 2, 3});
  prompt.pieces.push_back(medium(5));
  prompt.append(TokenRun{4, 5});
  const PrefillJob whole(kSequence, 7, prompt, RowKind::kQuestion, true);
  StepPlan expected;
  whole.emit(expected, 99);
  for (int part = 1; part <= 9; ++part) {
    PrefillJob job = whole;
    StepPlan plan;
    while (!job.done()) job.commit(job.emit(plan, part));
    ASSERT_EQ(plan.rows.size(), expected.rows.size());
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
      EXPECT_EQ(plan.rows[i].position, expected.rows[i].position);
      EXPECT_EQ(plan.rows[i].token, expected.rows[i].token);
      EXPECT_EQ(plan.rows[i].wants_logits, i + 1 == plan.rows.size());
    }
  }
}

TEST(PrefillJob, wants_no_logits_unless_asked) {
  Prompt prompt;
  prompt.append(TokenRun{1, 2});
  StepPlan plan;
  PrefillJob(kSequence, 0, prompt, RowKind::kPerception, false).emit(plan, 9);
  EXPECT_FALSE(plan.rows.back().wants_logits);
}

TEST(PrefillJob, does_not_move_on_until_rows_are_committed) {
  Prompt prompt;
  prompt.append(TokenRun{1, 2, 3});
  PrefillJob job(kSequence, 0, prompt, RowKind::kPerception, false);
  StepPlan plan;
  job.emit(plan, 2);
  job.emit(plan, 2);
  EXPECT_EQ(plan.rows[2].token, 1);
  EXPECT_EQ(job.rows_left(), 3);
  job.commit(2);
  EXPECT_EQ(job.rows_left(), 1);
  EXPECT_EQ(job.position(), 2);
  EXPECT_THROW(job.commit(2), std::logic_error);
}

TEST(PrefillJob, stops_before_an_indivisible_medium_and_emits_it_whole_or_not_at_all) {
  Prompt prompt;
  prompt.append(TokenRun{1, 2});
  prompt.pieces.push_back(medium(6, true));
  prompt.append(TokenRun{3});
  PrefillJob job(kSequence, 0, prompt, RowKind::kPerception, false);
  EXPECT_EQ(job.indivisible_next(), 0);
  StepPlan plan;
  EXPECT_EQ(job.emit(plan, 99), 2);
  job.commit(2);
  EXPECT_EQ(job.indivisible_next(), 6);
  EXPECT_EQ(job.emit(plan, 5), 0);
  EXPECT_EQ(job.emit(plan, 99), 6);
  job.commit(6);
  EXPECT_EQ(job.indivisible_next(), 0);
  EXPECT_EQ(job.emit(plan, 99), 1);
  job.commit(1);
  EXPECT_EQ(job.indivisible_next(), 0);
  EXPECT_EQ(job.emit(plan, 99), 0);
}

TEST(PrefillJob, passes_over_pieces_without_rows_but_not_their_positions) {
  EmbeddingRun pruned = medium(0);
  pruned.positions = 4;
  Prompt prompt;
  prompt.pieces = {Piece(TokenRun{}), Piece(pruned), Piece(TokenRun{1}), Piece(pruned)};
  PrefillJob job(kSequence, 0, prompt, RowKind::kPerception, false);
  EXPECT_EQ(job.position(), 4);
  job.commit(1);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(job.position(), 9);
  EXPECT_TRUE(PrefillJob(kSequence, 0, Prompt{}, RowKind::kPerception, true).done());
}

TEST(PrefillJob, refuses_a_grid_that_does_not_match_its_rows) {
  EmbeddingRun picture = medium(4);
  picture.grid.resize(3);
  Prompt prompt;
  prompt.pieces.push_back(picture);
  EXPECT_THROW(PrefillJob(kSequence, 0, prompt, RowKind::kPerception, false), std::logic_error);
}

}  // namespace
}  // namespace braid::schedule
