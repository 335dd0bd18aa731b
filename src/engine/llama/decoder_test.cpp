#include "decoder.h"

#include <gtest/gtest.h>

#include "test_model.h"
#include "test_tiny_model.h"

namespace braid::engine::llama {
namespace {

// Logits span about 5. The KV cache is F16, and so are the sums over it in passes of fewer than 8 rows.
constexpr float kTolerance = 6e-3F;
constexpr SequenceId kTimeline{0};
constexpr SequenceId kFork{1};
constexpr SequenceId kOther{2};

/// `rows` tokens that depend on `seed`.
Prompt tokens(int seed, int rows) {
  TokenRun run;
  for (int i = 0; i < rows; ++i) run.push_back((seed * 97 + i * 31 + i * i) % kTinyVocabulary);
  Prompt prompt;
  prompt.append(std::move(run));
  return prompt;
}

Prompt media(int seed, int rows, int dim) {
  auto matrix = std::make_shared<Matrix>(static_cast<std::size_t>(rows), static_cast<std::size_t>(dim));
  for (std::size_t i = 0; i < matrix->values.size(); ++i)
    matrix->values[i] =
        static_cast<float>((seed * 7919 + static_cast<int>(i) * 104729) % 1000) / 2500.0F - 0.2F;
  Prompt prompt;
  prompt.pieces.emplace_back(
      EmbeddingRun{.rows = matrix, .grid = {}, .positions = rows, .indivisible = false});
  return prompt;
}

Prompt join(std::initializer_list<Prompt> parts) {
  Prompt all;
  for (const Prompt& part : parts) all.append(part);
  return all;
}

class DecoderTest : public testing::Test {
 protected:
  std::vector<float> from_scratch(const Prompt& prompt) const {
    return prefill(*tiny_.decoder(true), kTimeline, prompt, 0, 128).logits;
  }

  TinyModel tiny_;
  std::unique_ptr<LlamaDecoder> decoder_ = tiny_.decoder(true);
};

TEST_F(DecoderTest, AForkAnswersAsTheSameContextFromScratch) {
  const Prompt history = join({tokens(1, 9), media(2, 16, 64), tokens(3, 5)});
  const Prefilled timeline = prefill(*decoder_, kTimeline, history, 0, 7);
  const PositionRange all[] = {{0, timeline.end}};
  ASSERT_TRUE(decoder_->fork(kTimeline, kFork, all));
  const Prefilled fork = prefill(*decoder_, kFork, tokens(4, 8), timeline.end, 5);
  EXPECT_EQ(fork.end, 38);
  EXPECT_LT(largest_difference(fork.logits, from_scratch(join({history, tokens(4, 8)}))), kTolerance);
  EXPECT_GT(largest_difference(fork.logits, from_scratch(join({history, tokens(5, 8)}))), 50 * kTolerance);
  EXPECT_EQ(decoder_->counters().forks, 1U);
}

TEST_F(DecoderTest, AForkSeesNothingOfWhatTheTimelinePerceivesLater) {
  const Prefilled timeline = prefill(*decoder_, kTimeline, tokens(1, 20), 0);
  const PositionRange all[] = {{0, timeline.end}};
  ASSERT_TRUE(decoder_->fork(kTimeline, kFork, all));
  prefill(*decoder_, kTimeline, media(2, 16, 64), timeline.end);
  const Prefilled fork = prefill(*decoder_, kFork, tokens(4, 8), timeline.end);
  EXPECT_LT(largest_difference(fork.logits, from_scratch(join({tokens(1, 20), tokens(4, 8)}))), kTolerance);
}

TEST_F(DecoderTest, AHiddenRangeIsHiddenAsIfForgotten) {
  const Prefilled begin = prefill(*decoder_, kTimeline, tokens(1, 5), 0);
  const Prefilled first = prefill(*decoder_, kTimeline, media(2, 16, 64), begin.end);
  const Prefilled second = prefill(*decoder_, kTimeline, tokens(3, 9), first.end);
  const PositionRange without_first[] = {{0, begin.end}, {first.end, second.end}};
  ASSERT_TRUE(decoder_->fork(kTimeline, kFork, without_first));
  const Prefilled hidden = prefill(*decoder_, kFork, tokens(4, 8), second.end);
  decoder_->free(kFork);

  const PositionRange all[] = {{0, second.end}};
  ASSERT_TRUE(decoder_->fork(kTimeline, kFork, all));
  const Prefilled seen = prefill(*decoder_, kFork, tokens(4, 8), second.end);
  EXPECT_GT(largest_difference(hidden.logits, seen.logits), 50 * kTolerance);
  ASSERT_TRUE(decoder_->forget(kTimeline, {begin.end, first.end}));
  const Prefilled forgotten = prefill(*decoder_, kTimeline, tokens(4, 8), second.end);
  EXPECT_LT(largest_difference(hidden.logits, forgotten.logits), kTolerance);
}

TEST_F(DecoderTest, RowsOfManySequencesShareAPassWithoutTouchingEachOther) {
  const Prompt one = join({tokens(1, 12), media(2, 16, 64), tokens(3, 4)});
  const Prompt two = join({media(5, 8, 64), tokens(6, 20)});
  StepPlan parts[3];
  add_rows(parts[0], kTimeline, one, 0);
  add_rows(parts[1], kFork, two, 0);
  StepPlan plan;  // interleaved, row by row
  for (std::size_t i = 0; i < 32; ++i)
    for (const StepPlan& part : parts)
      if (i < part.rows.size()) plan.rows.push_back(part.rows[i]);
  plan.rows[plan.rows.size() - 5].wants_logits = true;  // row 27 of two
  plan.rows.back().wants_logits = true;
  ASSERT_EQ(plan.rows[plan.rows.size() - 5].sequence, kFork);
  const auto result = decoder_->step(plan);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->logits.size(), 2U);
  EXPECT_EQ(decoder_->counters().passes, 1U);
  const std::vector<float> of_two(result->logits[0].begin(), result->logits[0].end());
  const std::vector<float> of_one(result->logits[1].begin(), result->logits[1].end());
  EXPECT_LT(largest_difference(of_one, from_scratch(one)), kTolerance);
  EXPECT_LT(largest_difference(of_two, from_scratch(two)), kTolerance);
}

TEST_F(DecoderTest, AFullCacheRefusesTheStepAndKeepsItsState) {
  const int cells = static_cast<int>(llama_n_ctx(decoder_->context()));
  const Prefilled timeline = prefill(*decoder_, kTimeline, tokens(1, 20), 0);
  prefill(*decoder_, kOther, tokens(2, cells - timeline.end - 3), 0, 128);
  StepPlan question;
  add_rows(question, kTimeline, tokens(4, 8), timeline.end);
  const auto refused = decoder_->step(question);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  EXPECT_TRUE(refused.error().retryable);
  EXPECT_EQ(decoder_->counters().rows[static_cast<std::size_t>(RowKind::kPerception)], cells - 3U);

  decoder_->free(kOther);
  const Prefilled later = prefill(*decoder_, kTimeline, tokens(4, 8), timeline.end);
  EXPECT_LT(largest_difference(later.logits, from_scratch(join({tokens(1, 20), tokens(4, 8)}))), kTolerance);
}

// llama-cells-together.patch gives blocks of cells to one sequence, and single cells once there is no empty
// block.
TEST_F(DecoderTest, SequencesThatGrowByTurnsFillTheCacheAndItsHolesToTheLastCell) {
  const int cells = static_cast<int>(llama_n_ctx(decoder_->context()));
  std::vector<Prompt> told(4);
  std::vector<int> ends(told.size());
  int free = cells;
  const auto grow = [&](std::size_t which, int rows) {
    const Prompt more = tokens(static_cast<int>(which) + 3 * ends[which], std::min(rows, free));
    const Prefilled done = prefill(*decoder_, SequenceId{static_cast<int>(which)}, more, ends[which], 16);
    told[which].append(more);
    free -= done.end - std::exchange(ends[which], done.end);
    return done.logits;
  };
  for (std::size_t turn = 0; free > 0; ++turn) grow(turn % 4, 7);
  decoder_->free(SequenceId{1});
  free += std::exchange(ends[1], 0);
  std::vector<float> last[2];
  while (free > 0) {
    last[0] = grow(0, 11);
    if (free > 0) last[1] = grow(3, 5);
  }
  EXPECT_EQ(ends[0] + ends[2] + ends[3], cells);
  EXPECT_LT(largest_difference(last[0], from_scratch(told[0])), kTolerance);
  EXPECT_LT(largest_difference(last[1], from_scratch(told[3])), kTolerance);
}

TEST_F(DecoderTest, PlansThatBreakTheContractAreRefusedNotRun) {
  const float row[64] = {};
  const auto code_of = [&](Row bad) {
    StepPlan plan;
    plan.rows.push_back(bad);
    const auto result = decoder_->step(plan);
    return result ? ErrorCode::kUsage : result.error().code;
  };
  EXPECT_EQ(decoder_->step({}).error().code, ErrorCode::kInternal);
  EXPECT_EQ(code_of({.sequence = SequenceId{4}, .token = 1}), ErrorCode::kInternal);
  EXPECT_EQ(code_of({.sequence = SequenceId{-1}, .token = 1}), ErrorCode::kInternal);
  EXPECT_EQ(code_of({.sequence = kFork, .token = kTinyVocabulary}), ErrorCode::kInternal);
  EXPECT_EQ(code_of({.sequence = kFork}), ErrorCode::kInternal);
  EXPECT_EQ(code_of({.sequence = kFork, .token = 1, .embedding = row}), ErrorCode::kInternal);
  StepPlan wide;
  add_rows(wide, kFork, tokens(1, 129), 0);
  EXPECT_EQ(decoder_->step(wide).error().code, ErrorCode::kInternal);
  prefill(*decoder_, kTimeline, tokens(1, 9), 0);
  EXPECT_EQ(code_of({.sequence = kTimeline, .position = 500, .token = 1}), ErrorCode::kInternal) << "a gap";
  const PositionRange some[] = {{0, 3}};
  EXPECT_EQ(decoder_->fork(kTimeline, kTimeline, some).error().code, ErrorCode::kInternal);
  EXPECT_EQ(decoder_->fork(kTimeline, SequenceId{99}, some).error().code, ErrorCode::kInternal);
  ASSERT_TRUE(decoder_->fork(kTimeline, kFork, some));
  EXPECT_EQ(decoder_->fork(kTimeline, kFork, some).error().code, ErrorCode::kInternal) << "in use";
}

TEST_F(DecoderTest, OnePassGivesWhatSeveralPassesGive) {
  const auto split = tiny_.decoder(false);
  ASSERT_FALSE(split->one_pass());
  const Prompt prompt = join({tokens(1, 9), media(2, 16, 64), tokens(3, 5)});
  StepPlan plan;
  add_rows(plan, kTimeline, prompt, 0);
  const Prompt second = join({media(4, 3, 64), tokens(5, 4)});
  add_rows(plan, kFork, second, 0);
  for (Row& row : plan.rows) row.wants_logits = row.position % 3 == 0;
  const auto one = decoder_->step(plan);
  const auto several = split->step(plan);
  ASSERT_TRUE(one && several);
  ASSERT_EQ(one->logits.size(), 13U);
  for (std::size_t i = 0; i < one->logits.size(); ++i)
    EXPECT_LT(largest_difference({one->logits[i].begin(), one->logits[i].end()},
                                 {several->logits[i].begin(), several->logits[i].end()}),
              kTolerance)
        << i;
  EXPECT_EQ(decoder_->counters().passes, 1U);
  EXPECT_EQ(split->counters().passes, 3U);  // tokens, then both sequences' media, then tokens
  EXPECT_EQ(split->counters().steps, 1U);
}

TEST_F(DecoderTest, ARefusedLaterPassTakesEarlierPassesBack) {
  const auto split = tiny_.decoder(false);
  const int cells = static_cast<int>(llama_n_ctx(split->context()));
  prefill(*split, kOther, tokens(1, cells - 6), 0, 128);
  const Prompt prompt = join({tokens(2, 4), media(3, 4, 64)});
  StepPlan mixed;  // 4 tokens fit, the 4 rows after them don't
  add_rows(mixed, kTimeline, prompt, 0);
  ASSERT_EQ(split->step(mixed).error().code, ErrorCode::kFull);
  EXPECT_EQ(llama_memory_seq_pos_max(llama_get_memory(split->context()), 0), -1);
  EXPECT_EQ(llama_memory_seq_pos_max(llama_get_memory(split->context()), 2), cells - 7);
  split->free(kOther);
  EXPECT_TRUE(split->step(mixed));
}

TEST_F(DecoderTest, ATableThatDoesntHoldTheModelsRowsIsFoundOut) {
  const auto right = TokenTable::open(tiny_.file(), kTinyVocabulary);
  const auto wrong = TokenTable::open(tiny_.file(), kTinyVocabulary, "output.weight");
  ASSERT_TRUE(right && wrong);
  EXPECT_TRUE(tokens_equal_rows(decoder_->context(), *right));
  EXPECT_FALSE(tokens_equal_rows(decoder_->context(), *wrong));
  EXPECT_FALSE(TokenTable::open(tiny_.file(), kTinyVocabulary, "blk.0.attn_q.weight")) << "too few rows";
  EXPECT_EQ(llama_memory_seq_pos_max(llama_get_memory(decoder_->context()), 0), -1) << "left empty";
}

TEST_F(DecoderTest, ANonCausalPlanLetsEarlierRowsSeeLaterOnes) {
  const Prompt picture = media(2, 8, 64);
  StepPlan plan;
  add_rows(plan, kTimeline, picture, 0);
  plan.rows.front().wants_logits = true;
  StepPlan other = plan;
  const Prompt changed = media(3, 8, 64);
  other.rows.back().embedding = std::get<EmbeddingRun>(changed.pieces[0]).rows->row(7).data();
  const auto first_logits = [&](StepPlan& tried, bool non_causal) {
    tried.non_causal = non_causal;
    const auto result = decoder_->step(tried);
    std::vector<float> logits(result->logits[0].begin(), result->logits[0].end());
    decoder_->free(kTimeline);
    return logits;
  };
  EXPECT_LT(largest_difference(first_logits(plan, false), first_logits(other, false)), kTolerance);
  EXPECT_GT(largest_difference(first_logits(plan, true), first_logits(other, true)), 10 * kTolerance);
  EXPECT_LT(largest_difference(first_logits(plan, false), first_logits(other, false)), kTolerance)
      << "back to causal";
}

TEST_F(DecoderTest, TheSameStepTwiceGivesTheSameBits) {
  EXPECT_TRUE(repeats_bit_for_bit(decoder_->context()));
  EXPECT_EQ(llama_memory_seq_pos_max(llama_get_memory(decoder_->context()), 0), -1) << "left empty";
}

TEST_F(DecoderTest, StepsAndRowsAreCountedByKind) {
  StepPlan plan;
  plan.rows.push_back({.sequence = kFork, .position = 0, .token = 5, .kind = RowKind::kQuestion});
  plan.rows.push_back({.sequence = kOther, .position = 0, .token = 5, .kind = RowKind::kDecode});
  plan.rows.push_back({.sequence = kOther, .position = 1, .token = 6, .kind = RowKind::kDecode});
  ASSERT_TRUE(decoder_->step(plan));
  const Counters counters = decoder_->counters();
  EXPECT_EQ(counters.steps, 1U);
  EXPECT_EQ(counters.rows, (std::array<std::uint64_t, kRowKinds>{2, 1, 0, 0}));
}

}  // namespace
}  // namespace braid::engine::llama
