#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "braid/kv/ledger.h"
#include "braid/kv/timeline.h"

namespace braid::kv {
namespace {

using Rows =
    std::vector<int>;  // what each row of a sequence is: tokens and media rows all have numbers of their own

const TokenRun kBegin{-1, -2, -3};
const TokenRun kSeparator{-4};
const TokenRun kNextTurn{-5, -6};

Rows rows_of(const Prompt& prompt) {
  Rows rows;
  for (const Piece& piece : prompt.pieces) {
    if (const auto* run = std::get_if<TokenRun>(&piece)) rows.insert(rows.end(), run->begin(), run->end());
    if (const auto* run = std::get_if<EmbeddingRun>(&piece))
      for (float value : run->rows->values) rows.push_back(static_cast<int>(value));
  }
  return rows;
}

// A sequence as an engine would hold it: prompts with the positions they were put at.
struct Sequence {
  struct Block {
    Range range;
    Rows rows;
  };
  std::vector<Block> blocks;

  Position end() const { return blocks.empty() ? 0 : blocks.back().range.end; }
  Rows all() const {
    Rows rows;
    for (const Block& block : blocks) rows.insert(rows.end(), block.rows.begin(), block.rows.end());
    return rows;
  }
};

// Everything ever appended, and the text of its newest `n` put together from nothing.
struct History {
  struct Item {
    Rows content;
    bool turns;
  };
  std::vector<Item> items;

  Rows assembled(std::size_t n) const {
    Rows rows(kBegin.begin(), kBegin.end());
    bool separate = false;
    for (std::size_t i = items.size() - n; i < items.size(); ++i) {
      if (separate) rows.insert(rows.end(), kSeparator.begin(), kSeparator.end());
      rows.insert(rows.end(), items[i].content.begin(), items[i].content.end());
      if (items[i].turns) rows.insert(rows.end(), kNextTurn.begin(), kNextTurn.end());
      separate = !items[i].turns;
    }
    return rows;
  }
};

class TimelineProperty : public ::testing::Test {
 protected:
  static constexpr int kMaxRows = 120;

  TimelineProperty() {
    current_ = *ledger_.open();
    prefill(current_, timeline_.opening());
  }

  static WindowOptions options() {
    WindowOptions window;
    window.max_rows = kMaxRows;
    window.keep = 0.4;
    return window;
  }
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  void prefill(SequenceId sequence, const Prompt& prompt) {
    const Position begin = sequences_[sequence].end();
    const Range range{begin, begin + prompt.positions()};
    ASSERT_TRUE(ledger_.append(sequence, range, prompt.rows()));
    sequences_[sequence].blocks.push_back({range, rows_of(prompt)});
  }

  Prompt any_prompt() {
    Prompt prompt;
    TokenRun text(static_cast<std::size_t>(pick(1, 6)));
    for (Token& token : text) token = next_++;
    prompt.append(text);
    if (pick(0, 2) > 0) return prompt;
    auto rows = std::make_shared<Matrix>(static_cast<std::size_t>(pick(1, 12)), 1);
    for (float& value : rows->values) value = static_cast<float>(next_++);
    const int n = static_cast<int>(rows->rows);
    const bool grid = pick(0, 1) == 1;
    prompt.pieces.push_back(
        EmbeddingRun{rows, std::vector<GridPosition>(grid ? rows->rows : 0U), grid ? pick(1, n) : n, false});
    return prompt;
  }

  void append() {
    const Prompt prompt = any_prompt();
    const bool turns = pick(0, 4) == 0;
    auto chunk = std::make_shared<Chunk>();
    chunk->prompt = prompt;
    chunk->start = chunk->end = kSessionStart + Milliseconds(next_);
    const auto entry = turns ? timeline_.append_turns(prompt, chunk->end) : timeline_.append(chunk);
    if (!entry) {
      ASSERT_EQ(entry.error().code, ErrorCode::kFull);
      waiting_ = prompt.rows() + (turns ? static_cast<int>(kNextTurn.size()) : 0);
      ASSERT_FALSE(timeline_.has_room(waiting_));
      return;
    }
    waiting_ = 0;
    history_.items.push_back({rows_of(prompt), turns});
    prefill(current_, entry->prompt);
    ASSERT_EQ(entry->range, sequences_[current_].blocks.back().range);
    // The successor's share of it is read some time later.
  }

  void fork() {
    const auto to = ledger_.open();
    if (!to) return;
    const std::size_t up_to = static_cast<std::size_t>(pick(0, static_cast<int>(timeline_.entries().size())));
    const Position end = up_to == 0 ? 0 : timeline_.entries()[up_to - 1].range.end;
    const auto ranges = timeline_.visible(kSessionStart, end);
    ASSERT_EQ(ranges.size(), 1U) << "nothing is hidden here, so all that is visible is one range";
    const int used = ledger_.used();
    ASSERT_TRUE(ledger_.fork(current_, *to, ranges));
    ASSERT_EQ(ledger_.used(), used);
    std::vector<Sequence::Block> shared = sequences_[current_].blocks;
    shared.resize(up_to + 1);
    sequences_[*to].blocks = shared;
    ASSERT_EQ(ledger_.end(*to), shared.back().range.end);
    ASSERT_EQ(ledger_.cells(*to), static_cast<int>(sequences_[*to].all().size()));
    ASSERT_EQ(timeline_.window(kSessionStart, end).tokens, ledger_.cells(*to));
    forks_.push_back(*to);
    if (pick(0, 1) == 1 && ledger_.used() + 8 < ledger_.capacity()) prefill(*to, any_short_answer());
  }
  Prompt any_short_answer() {
    Prompt prompt;
    prompt.append(TokenRun{next_++, next_++});
    return prompt;
  }
  void close_fork() {
    if (forks_.empty()) return;
    const auto i = static_cast<std::size_t>(pick(0, static_cast<int>(forks_.size()) - 1));
    close(forks_[i]);
    forks_.erase(forks_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void close(SequenceId sequence) {
    ledger_.close(sequence);
    sequences_.erase(sequence);
  }

  void turn_over() {
    if (timeline_.turning_over()) return pick(0, 5) == 0 ? abandon() : finish();
    if (!timeline_.wants_turn_over(waiting_)) return;
    const auto opened = ledger_.open();
    if (!opened || ledger_.used() + 2 * kMaxRows > ledger_.capacity()) {
      if (opened) ledger_.close(*opened);
      return close_fork();
    }
    successor_ = *opened;
    for (const Prompt& prompt : timeline_.begin_turn_over(waiting_)) prefill(successor_, prompt);
    ASSERT_LE(ledger_.cells(successor_), std::max(timeline_.rows(), kMaxRows * 2 / 5));
    ASSERT_LE(ledger_.cells(successor_) + waiting_, kMaxRows);
  }
  void finish() {
    for (const Prompt& prompt : timeline_.successor_tail()) prefill(successor_, prompt);
    timeline_.finish_turn_over();
    close(current_);
    current_ = successor_;
    ++turn_overs_;
  }
  void abandon() {
    timeline_.abandon_turn_over();
    close(successor_);
  }

  void act() {
    const int action = pick(0, 9);
    if (action < 5 && !timeline_.has_room(24) && timeline_.turning_over()) return finish();
    if (action < 6) return append();
    if (action == 6) return fork();
    if (action == 7) return close_fork();
    return turn_over();
  }

  void compare() {
    const Sequence& current = sequences_.at(current_);
    ASSERT_EQ(current.all(), history_.assembled(timeline_.entries().size()));
    ASSERT_EQ(timeline_.end(), current.end());
    ASSERT_EQ(timeline_.end(), ledger_.end(current_));
    ASSERT_EQ(timeline_.rows(), static_cast<int>(current.all().size()));
    ASSERT_EQ(timeline_.rows(), ledger_.cells(current_));
    ASSERT_LE(std::max(timeline_.rows(), static_cast<int>(timeline_.end())), kMaxRows);
    for (std::size_t i = 0; i < timeline_.entries().size(); ++i)
      ASSERT_EQ(timeline_.entries()[i].range, current.blocks[i + 1].range);
    const bool separate = !timeline_.entries().empty() && !history_.items.back().turns;
    ASSERT_EQ(timeline_.question_lead(), separate ? kSeparator : TokenRun{});
  }

  std::mt19937 random_{11};
  Timeline timeline_{options(), kBegin, kSeparator, kNextTurn};
  Ledger ledger_{kMaxRows * 8, 6};
  std::map<SequenceId, Sequence> sequences_;
  History history_;
  SequenceId current_, successor_;
  std::vector<SequenceId> forks_;
  int next_ = 1;
  int waiting_ = 0;
  int turn_overs_ = 0;
};

TEST_F(TimelineProperty, ten_thousand_random_operations_leave_what_an_assembly_from_nothing_gives) {
  for (int i = 0; i < 10'000; ++i) {
    act();
    if (HasFatalFailure()) FAIL() << "operation " << i;
    compare();
    if (HasFatalFailure()) FAIL() << "after operation " << i;
  }
  EXPECT_GT(turn_overs_, 300) << "too few turn-overs to show anything";
}

}  // namespace
}  // namespace braid::kv
