#include "braid/kv/ledger.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace braid::kv {
namespace {

SequenceId opened(Ledger& ledger) { return ledger.open().value(); }

TEST(Ledger, gives_ids_until_none_is_left_and_gives_closed_ones_again) {
  Ledger ledger(10, 2);
  const SequenceId first = opened(ledger);
  const SequenceId second = opened(ledger);
  EXPECT_NE(first, second);
  const auto third = ledger.open();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kFull);
  EXPECT_TRUE(third.error().retryable);
  ledger.close(first);
  EXPECT_EQ(ledger.sequences(), 1);
  EXPECT_EQ(opened(ledger), first);
}

TEST(Ledger, counts_shared_cells_once_and_frees_them_with_their_last_holder) {
  Ledger ledger(100, 4);
  const SequenceId timeline = opened(ledger);
  ASSERT_TRUE(ledger.append(timeline, {0, 40}, 40));
  const SequenceId fork = opened(ledger);
  ASSERT_TRUE(ledger.fork(timeline, fork, std::array{Range{0, 10}, Range{20, 30}}));
  ASSERT_TRUE(ledger.append(fork, {40, 45}, 5));
  EXPECT_EQ(ledger.used(), 45);
  EXPECT_EQ(ledger.cells(fork), 25);
  EXPECT_EQ(ledger.end(fork), 45);

  ledger.close(timeline);
  EXPECT_EQ(ledger.used(), 25);
  ledger.close(fork);
  EXPECT_EQ(ledger.used(), 0);
}

TEST(Ledger, refuses_cells_that_pass_the_capacity_and_takes_those_that_just_fit) {
  Ledger ledger(8, 1);
  const SequenceId sequence = opened(ledger);
  ASSERT_TRUE(ledger.append(sequence, {0, 5}, 5));
  const Status refused = ledger.append(sequence, {5, 9}, 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  EXPECT_TRUE(refused.error().retryable);
  EXPECT_EQ(ledger.used(), 5);
  EXPECT_TRUE(ledger.append(sequence, {5, 8}, 3));
}

TEST(Ledger, refuses_positions_that_the_sequence_holds_already) {
  Ledger ledger(100, 1);
  const SequenceId sequence = opened(ledger);
  ASSERT_TRUE(ledger.append(sequence, {10, 20}, 10));
  for (const Range range : {Range{19, 21}, Range{5, 11}, Range{12, 14}, Range{10, 20}, Range{10, 10}}) {
    const Status refused = ledger.append(sequence, range, 1);
    ASSERT_FALSE(refused) << range.begin << ".." << range.end;
    EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  }
  EXPECT_TRUE(ledger.append(sequence, {20, 21}, 1));
  EXPECT_TRUE(ledger.append(sequence, {0, 10}, 10));
}

TEST(Ledger, does_not_cut_a_medium_whose_cells_are_not_its_positions) {
  Ledger ledger(100, 2);
  const SequenceId timeline = opened(ledger);
  const SequenceId fork = opened(ledger);
  ASSERT_TRUE(ledger.append(timeline, {0, 4}, 4));
  ASSERT_TRUE(ledger.append(timeline, {4, 8}, 16));
  const Status cut = ledger.fork(timeline, fork, std::array{Range{0, 2}, Range{3, 6}});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kInternal);
  EXPECT_EQ(ledger.cells(fork), 0);
  EXPECT_THROW(ledger.forget(timeline, {5, 8}), std::logic_error);
  ASSERT_TRUE(ledger.fork(timeline, fork, std::array{Range{2, 8}}));
  EXPECT_EQ(ledger.cells(fork), 18);
  EXPECT_EQ(ledger.used(), 20);
}

TEST(Ledger, joins_the_rows_of_a_medium_that_is_computed_in_parts) {
  Ledger ledger(100, 2);
  const SequenceId timeline = opened(ledger);
  const SequenceId fork = opened(ledger);
  ASSERT_TRUE(ledger.append(timeline, {0, 4}, 4));
  ASSERT_TRUE(ledger.append(timeline, {4, 4}, 6));
  EXPECT_EQ(ledger.end(timeline), 4);
  EXPECT_EQ(ledger.used(), 10);
  ASSERT_TRUE(ledger.append(timeline, {4, 6}, 3));
  EXPECT_EQ(ledger.end(timeline), 6);
  ASSERT_TRUE(ledger.fork(timeline, fork, std::array{Range{4, 6}}));
  EXPECT_EQ(ledger.cells(fork), 9);
}

TEST(Ledger, refuses_a_fork_of_what_is_not_open_or_onto_what_is_not_empty) {
  Ledger ledger(100, 3);
  const SequenceId timeline = opened(ledger);
  const SequenceId other = opened(ledger);
  ASSERT_TRUE(ledger.append(timeline, {0, 4}, 4));
  ASSERT_TRUE(ledger.append(other, {0, 4}, 4));
  const std::array all{Range{0, 4}};
  EXPECT_FALSE(ledger.fork(timeline, other, all));
  EXPECT_FALSE(ledger.fork(timeline, timeline, all));
  EXPECT_FALSE(ledger.fork(timeline, SequenceId{2}, all));
  EXPECT_FALSE(ledger.fork(SequenceId{7}, other, all));
  EXPECT_FALSE(ledger.append(SequenceId{2}, {0, 1}, 1));
  EXPECT_THROW(ledger.close(SequenceId{2}), std::logic_error);
}

TEST(Ledger, refuses_fork_ranges_that_do_not_ascend) {
  Ledger ledger(100, 2);
  const SequenceId timeline = opened(ledger);
  const SequenceId fork = opened(ledger);
  ASSERT_TRUE(ledger.append(timeline, {0, 10}, 10));
  EXPECT_FALSE(ledger.fork(timeline, fork, std::array{Range{4, 8}, Range{0, 2}}));
  EXPECT_FALSE(ledger.fork(timeline, fork, std::array{Range{0, 5}, Range{4, 8}}));
  EXPECT_EQ(ledger.cells(fork), 0);
}

}  // namespace
}  // namespace braid::kv
