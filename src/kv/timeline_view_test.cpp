#include <gtest/gtest.h>

#include "braid/kv/timeline.h"

namespace braid::kv {
namespace {

SessionTime at(int seconds) { return kSessionStart + std::chrono::seconds(seconds); }

// Opening of 2 rows, separator of 1, next turn of 1; chunks of 3 rows that last a second.
class TimelineView : public ::testing::Test {
 protected:
  static WindowOptions ten_seconds() {
    WindowOptions options;
    options.max_age = std::chrono::seconds(10);
    return options;
  }
  void perceive(int second, Modality modality = Modality::kText) {
    auto chunk = std::make_shared<Chunk>();
    chunk->modality = modality;
    chunk->start = at(second);
    chunk->end = at(second + 1);
    chunk->prompt.append(TokenRun{1, 2, 3});
    ASSERT_TRUE(timeline_.append(chunk));
  }
  void answer(int second) {
    Prompt turns;
    turns.append(TokenRun{7, 8});
    ASSERT_TRUE(timeline_.append_turns(turns, at(second)));
  }

  Timeline timeline_{ten_seconds(), {0, 0}, {10}, {11}};
};

TEST_F(TimelineView, shares_one_range_while_nothing_is_stale) {
  perceive(0);
  answer(2);
  perceive(3);
  EXPECT_EQ(timeline_.visible(at(5), timeline_.end()), (std::vector{Range{0, 12}}));
  const WindowInfo window = timeline_.window(at(5), timeline_.end());
  EXPECT_EQ(window.from, at(0));
  EXPECT_EQ(window.to, at(4));
  EXPECT_EQ(window.chunks, 2);
  EXPECT_EQ(window.tokens, 12);
}

TEST_F(TimelineView, leaves_out_what_has_not_been_prefilled) {
  perceive(0);
  perceive(1);
  EXPECT_EQ(timeline_.visible(at(5), 8), (std::vector{Range{0, 5}}));
  EXPECT_EQ(timeline_.window(at(5), 8).chunks, 1);
  EXPECT_EQ(timeline_.visible(at(5), 9), (std::vector{Range{0, 9}}));
}

TEST_F(TimelineView, of_a_moment_that_has_passed_leaves_out_what_ended_later) {
  perceive(0);
  const auto then = timeline_.visible(at(2), timeline_.end());
  const WindowInfo seen = timeline_.window(at(2), timeline_.end());
  answer(2);
  perceive(3);
  EXPECT_EQ(timeline_.visible(at(1), timeline_.end(), at(1)), then);
  const WindowInfo window = timeline_.window(at(1), timeline_.end(), at(1));
  EXPECT_EQ(window.chunks, seen.chunks);
  EXPECT_EQ(window.to, seen.to);
  EXPECT_EQ(timeline_.question_lead(at(1), timeline_.end(), at(1)), TokenRun{10});
  EXPECT_EQ(timeline_.window(at(9), timeline_.end(), at(9)).chunks, 2);
}

TEST_F(TimelineView, hides_stale_entries_and_the_separator_after_them) {
  perceive(0);
  perceive(1);
  perceive(8);
  EXPECT_EQ(timeline_.visible(at(12), timeline_.end()), (std::vector{Range{0, 2}, Range{6, 13}}))
      << "the second chunk is exactly as old as allowed; its separator has nothing before it";
  const WindowInfo window = timeline_.window(at(12), timeline_.end());
  EXPECT_EQ(window.from, at(1));
  EXPECT_EQ(window.chunks, 2);
  EXPECT_EQ(window.tokens, 2 + 3 + 4);
}

TEST_F(TimelineView, counts_what_is_seen_by_kind) {
  perceive(0, Modality::kVision);
  perceive(1, Modality::kAudio);
  answer(2);
  for (const int second : {3, 4}) perceive(second, Modality::kReading);
  perceive(11);
  const WindowInfo window = timeline_.window(at(13), timeline_.end());
  EXPECT_EQ(window.frames, 0) << "the first is stale";
  EXPECT_EQ(window.utterances, 0);
  EXPECT_EQ(window.readings, 2);
  EXPECT_EQ(window.lines, 1);
  EXPECT_EQ(timeline_.window(at(2), timeline_.end()).frames, 1);
}

TEST_F(TimelineView, shares_the_opening_alone_when_all_is_stale) {
  perceive(0);
  answer(1);
  EXPECT_EQ(timeline_.visible(at(60), timeline_.end()), (std::vector{Range{0, 2}}));
  const WindowInfo window = timeline_.window(at(60), timeline_.end());
  EXPECT_EQ(window.chunks, 0);
  EXPECT_EQ(window.tokens, 2);
  EXPECT_EQ(window.from, at(60));
  EXPECT_EQ(window.to, at(60));
}

TEST_F(TimelineView, leads_a_question_by_what_its_fork_sees) {
  perceive(0);
  EXPECT_EQ(timeline_.question_lead(at(2), timeline_.end()), TokenRun{10});
  EXPECT_TRUE(timeline_.question_lead(at(2), 2).empty()) << "the chunk is not prefilled yet";
  EXPECT_TRUE(timeline_.question_lead(at(60), timeline_.end()).empty()) << "the chunk is stale";
  answer(2);
  EXPECT_TRUE(timeline_.question_lead(at(2), timeline_.end()).empty());
  EXPECT_EQ(timeline_.question_lead(at(2), 5), TokenRun{10});
}

TEST_F(TimelineView, keeps_the_separator_of_an_entry_that_can_not_be_cut) {
  perceive(0);
  auto picture = std::make_shared<Chunk>();
  picture->start = picture->end = at(20);
  picture->prompt.pieces.push_back(
      EmbeddingRun{std::make_shared<Matrix>(6, 1), std::vector<GridPosition>(6), 2, false});
  ASSERT_TRUE(timeline_.append(picture));
  EXPECT_EQ(timeline_.visible(at(21), timeline_.end()), (std::vector{Range{0, 2}, Range{5, 8}}));
  EXPECT_EQ(timeline_.window(at(21), timeline_.end()).tokens, 2 + 7);
}

}  // namespace
}  // namespace braid::kv
