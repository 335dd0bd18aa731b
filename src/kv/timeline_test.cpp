#include "braid/kv/timeline.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace braid::kv {
namespace {

// Tokens are letters here, so that a sequence's text can be read: "<" opens, "," separates, "/" is the next
// turn.
TokenRun tokens(const std::string& text) { return TokenRun(text.begin(), text.end()); }

std::string text_of(const Prompt& prompt) {
  std::string text;
  for (const Piece& piece : prompt.pieces) {
    if (const auto* run = std::get_if<TokenRun>(&piece)) text.append(run->begin(), run->end());
    if (const auto* run = std::get_if<EmbeddingRun>(&piece)) text.append(run->rows->rows, '#');
  }
  return text;
}

std::string text_of(const std::vector<Prompt>& prompts) {
  std::string text;
  for (const Prompt& prompt : prompts) text += text_of(prompt);
  return text;
}

std::string text_of(const Timeline& timeline) {
  std::string text = text_of(timeline.opening());
  for (const Entry& entry : timeline.entries()) text += text_of(entry.prompt);
  return text;
}

SessionTime at(int seconds) { return kSessionStart + std::chrono::seconds(seconds); }

std::shared_ptr<Chunk> chunk(const std::string& text, int second) {
  auto made = std::make_shared<Chunk>();
  made->start = at(second);
  made->end = at(second + 1);
  made->prompt.append(tokens(text));
  return made;
}

Prompt turns(const std::string& text) {
  Prompt prompt;
  prompt.append(tokens(text));
  return prompt;
}

Timeline timeline_of(WindowOptions options = {}) { return {options, tokens("<<"), tokens(","), tokens("/")}; }

WindowOptions window_of(int max_rows) {
  WindowOptions options;
  options.max_rows = max_rows;
  return options;
}

TEST(Timeline, separates_the_entries_of_one_turn_and_nothing_else) {
  Timeline timeline = timeline_of();
  EXPECT_TRUE(timeline.question_lead().empty());
  EXPECT_EQ(timeline.append(chunk("aa", 0))->range, (Range{2, 4}));
  const Entry second = timeline.append(chunk("bb", 1)).value();
  EXPECT_EQ(text_of(second.prompt), ",bb");
  EXPECT_EQ(second.range, (Range{4, 7}));
  EXPECT_EQ(text_of(timeline), "<<aa,bb");
  EXPECT_EQ(timeline.question_lead(), tokens(","));
  EXPECT_EQ(timeline.rows(), 7);
  EXPECT_EQ(timeline.end(), 7);
}

TEST(Timeline, begins_a_new_user_turn_after_turns_without_a_separator) {
  Timeline timeline = timeline_of();
  ASSERT_TRUE(timeline.append(chunk("aa", 0)));
  ASSERT_TRUE(timeline.append_turns(turns("q?A"), at(1)));
  EXPECT_EQ(text_of(timeline), "<<aa,q?A/");
  EXPECT_TRUE(timeline.question_lead().empty());
  ASSERT_TRUE(timeline.append(chunk("bb", 2)));
  ASSERT_TRUE(timeline.append(chunk("cc", 3)));
  EXPECT_EQ(text_of(timeline), "<<aa,q?A/bb,cc");
}

TEST(Timeline, counts_positions_of_media_apart_from_their_rows) {
  Timeline timeline = timeline_of();
  auto picture = chunk("t", 0);
  picture->prompt.pieces.push_back(
      EmbeddingRun{std::make_shared<Matrix>(6, 1), std::vector<GridPosition>(6), 3, false});
  EXPECT_EQ(timeline.append(picture)->range, (Range{2, 6}));
  EXPECT_EQ(timeline.append(chunk("b", 1))->range, (Range{6, 8}));
  EXPECT_EQ(timeline.end(), 8);
  EXPECT_EQ(timeline.rows(), 11);
}

TEST(Timeline, refuses_what_no_window_can_hold_and_lets_wait_what_the_next_can) {
  Timeline timeline = timeline_of(window_of(10));
  const auto too_large = timeline.append(chunk("123456789", 0));
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().code, ErrorCode::kLimit);
  ASSERT_TRUE(timeline.append(chunk("1234", 0)));
  EXPECT_TRUE(timeline.has_room(3));
  EXPECT_FALSE(timeline.has_room(4));
  const auto waits = timeline.append(chunk("1234", 1));
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().code, ErrorCode::kFull);
  EXPECT_TRUE(waits.error().retryable);
  EXPECT_EQ(timeline.rows(), 6);
  EXPECT_TRUE(timeline.append(chunk("123", 1)));
  EXPECT_EQ(timeline.rows(), 10);
}

TEST(Timeline, refuses_a_chunk_without_rows) {
  Timeline timeline = timeline_of();
  EXPECT_EQ(timeline.append(chunk("", 0)).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(timeline.append_turns({}, at(0)).error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(timeline.entries().empty());
}

TEST(Timeline, wants_to_turn_over_past_its_share_and_keeps_the_newest_that_fit) {
  Timeline timeline = timeline_of(window_of(20));  // turns over past 15 rows, keeps up to 10
  for (const char* text : {"aaa", "bbb", "ccc"}) ASSERT_TRUE(timeline.append(chunk(text, 0)));
  EXPECT_EQ(timeline.rows(), 13);
  EXPECT_FALSE(timeline.wants_turn_over());
  ASSERT_TRUE(timeline.append(chunk("ddd", 3)));
  EXPECT_TRUE(timeline.wants_turn_over());

  EXPECT_EQ(text_of(timeline.begin_turn_over()), "<<ccc,ddd");
  EXPECT_TRUE(timeline.turning_over());
  EXPECT_FALSE(timeline.wants_turn_over());
  EXPECT_EQ(text_of(timeline), "<<aaa,bbb,ccc,ddd");
  timeline.finish_turn_over();
  EXPECT_EQ(text_of(timeline), "<<ccc,ddd");
  EXPECT_EQ(timeline.evicted(), 2U);
  EXPECT_EQ(timeline.entries()[0].range, (Range{2, 5}));
  EXPECT_EQ(timeline.entries()[1].range, (Range{5, 9}));
  EXPECT_EQ(timeline.end(), 9);
}

TEST(Timeline, gives_what_is_appended_while_turning_over_to_both_sequences) {
  Timeline timeline = timeline_of(window_of(20));
  for (const char* text : {"aaaa", "bbbb", "ccc"}) ASSERT_TRUE(timeline.append(chunk(text, 0)));
  EXPECT_EQ(text_of(timeline.begin_turn_over()), "<<bbbb,ccc");
  const Entry entry = timeline.append(chunk("d", 3)).value();
  EXPECT_EQ(entry.range, (Range{15, 17}));
  EXPECT_EQ(text_of(timeline.successor_tail()), ",d");
  EXPECT_TRUE(timeline.successor_tail().empty());
  ASSERT_TRUE(timeline.append_turns(turns("?"), at(4)));
  EXPECT_THROW(timeline.finish_turn_over(), std::logic_error);
  EXPECT_EQ(text_of(timeline.successor_tail()), ",?/");
  timeline.finish_turn_over();
  EXPECT_EQ(text_of(timeline), "<<bbbb,ccc,d,?/");
  EXPECT_TRUE(timeline.question_lead().empty());
  EXPECT_TRUE(timeline.successor_tail().empty());
}

TEST(Timeline, evicts_turns_whole_and_counts_chunks_alone) {
  Timeline timeline = timeline_of(window_of(20));
  ASSERT_TRUE(timeline.append(chunk("aaa", 0)));
  ASSERT_TRUE(timeline.append_turns(turns("qqqA"), at(1)));
  ASSERT_TRUE(timeline.append(chunk("bbbbb", 2)));
  EXPECT_EQ(text_of(timeline), "<<aaa,qqqA/bbbbb");
  EXPECT_EQ(text_of(timeline.begin_turn_over()), "<<bbbbb");
  timeline.finish_turn_over();
  EXPECT_EQ(timeline.evicted(), 1U);
  EXPECT_EQ(timeline.question_lead(), tokens(","));
}

TEST(Timeline, starts_a_successor_that_begins_with_turns_without_a_separator) {
  Timeline timeline = timeline_of(window_of(16));
  ASSERT_TRUE(timeline.append(chunk("aaaaaaa", 0)));
  ASSERT_TRUE(timeline.append_turns(turns("qA"), at(1)));
  EXPECT_EQ(text_of(timeline), "<<aaaaaaa,qA/");
  EXPECT_EQ(text_of(timeline.begin_turn_over()), "<<qA/");
}

TEST(Timeline, makes_room_for_a_waiting_chunk_that_the_share_alone_would_not) {
  Timeline timeline = timeline_of(window_of(20));
  ASSERT_TRUE(timeline.append(chunk("aaa", 0)));
  ASSERT_TRUE(timeline.append(chunk("bbb", 1)));
  EXPECT_FALSE(timeline.wants_turn_over());
  EXPECT_TRUE(timeline.wants_turn_over(14));
  EXPECT_EQ(text_of(timeline.begin_turn_over(14)), "<<bbb");
  timeline.finish_turn_over();
  EXPECT_TRUE(timeline.append(chunk("12345678901234", 2)));
  EXPECT_TRUE(timeline.wants_turn_over(18));
  EXPECT_EQ(text_of(timeline.begin_turn_over(18)), "<<");
}

TEST(Timeline, keeps_the_newest_chunk_even_if_larger_than_the_share_and_does_not_turn_over_for_nothing) {
  Timeline timeline = timeline_of(window_of(20));
  ASSERT_TRUE(timeline.append(chunk("1234567890123456", 0)));
  EXPECT_FALSE(timeline.wants_turn_over()) << "nothing would be evicted";
  EXPECT_EQ(text_of(timeline.begin_turn_over()), "<<1234567890123456");
}

TEST(Timeline, goes_on_as_before_when_a_turn_over_is_given_up) {
  Timeline timeline = timeline_of(window_of(20));
  for (const char* text : {"aaaa", "bbbb", "ccc"}) ASSERT_TRUE(timeline.append(chunk(text, 0)));
  timeline.begin_turn_over();
  ASSERT_TRUE(timeline.append(chunk("d", 3)));
  timeline.abandon_turn_over();
  EXPECT_FALSE(timeline.turning_over());
  EXPECT_EQ(text_of(timeline), "<<aaaa,bbbb,ccc,d");
  EXPECT_TRUE(timeline.successor_tail().empty());
  EXPECT_TRUE(timeline.wants_turn_over());
}

TEST(Timeline, throws_when_a_turn_over_is_ended_that_was_not_begun) {
  Timeline timeline = timeline_of();
  EXPECT_THROW(timeline.finish_turn_over(), std::logic_error);
  EXPECT_THROW(timeline.abandon_turn_over(), std::logic_error);
  timeline.begin_turn_over();
  EXPECT_THROW(timeline.begin_turn_over(), std::logic_error);
}

TEST(Timeline, is_laid_out_alike_from_what_was_kept) {
  Timeline timeline = timeline_of();
  ASSERT_TRUE(timeline.append(chunk("aa", 0)));
  ASSERT_TRUE(timeline.append_turns(turns("q?A"), at(1)));
  ASSERT_TRUE(timeline.append(chunk("bb", 1)));
  ASSERT_TRUE(timeline.append(chunk("cc", 2)));
  Timeline other = timeline_of();
  ASSERT_TRUE(other.restore(timeline.kept(), 5));
  EXPECT_EQ(text_of(other), text_of(timeline));
  EXPECT_EQ(other.question_lead(), timeline.question_lead());
  EXPECT_EQ(other.evicted(), 5U);
  EXPECT_EQ(other.window(at(9), other.end()).from, at(0));
}

TEST(Timeline, counts_what_changes_what_is_kept_and_nothing_else) {
  Timeline timeline = timeline_of(window_of(20));
  std::uint64_t count = timeline.changes();
  const auto changed = [&] { return std::exchange(count, timeline.changes()) != timeline.changes(); };
  ASSERT_TRUE(timeline.append(chunk("aaaa", 0)));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(timeline.append_turns(turns("q?A"), at(1)));
  EXPECT_TRUE(changed());
  ASSERT_TRUE(timeline.append(chunk("bbbb", 1)));
  EXPECT_TRUE(changed());
  ASSERT_FALSE(timeline.append(chunk("cccccccc", 2)));
  EXPECT_FALSE(changed());
  timeline.begin_turn_over();
  static_cast<void>(timeline.window(at(9), timeline.end()));
  EXPECT_FALSE(changed());
  timeline.finish_turn_over();
  EXPECT_TRUE(changed());
}

TEST(Timeline, keeps_the_newest_of_more_than_a_smaller_window_holds) {
  Timeline timeline = timeline_of(window_of(100));
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(timeline.append(chunk(std::string(4, static_cast<char>('a' + i)), i)));
  Timeline other = timeline_of(window_of(20));
  ASSERT_TRUE(other.restore(timeline.kept(), 0));
  EXPECT_LE(other.rows(), 20);
  EXPECT_EQ(text_of(other), "<<iiii,jjjj");
  EXPECT_EQ(other.evicted(), 8U);
}

TEST(Timeline, refuses_to_restore_what_is_larger_than_its_window) {
  Timeline timeline = timeline_of(window_of(100));
  ASSERT_TRUE(timeline.append(chunk(std::string(50, 'a'), 0)));
  Timeline other = timeline_of(window_of(20));
  const Status restored = other.restore(timeline.kept(), 0);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::kLimit);
}

TEST(Timeline, drops_nothing_for_what_would_not_fit_an_empty_window) {
  Timeline timeline = timeline_of(window_of(20));
  ASSERT_TRUE(timeline.append(chunk("aaaa", 0)));
  timeline.drop_oldest(100);
  EXPECT_EQ(text_of(timeline), "<<aaaa");
}

}  // namespace
}  // namespace braid::kv
