// A timeline that turned over twice holds what a context would hold that never knew the evicted part.
#include <gtest/gtest.h>

#include "braid/kv/timeline.h"
#include "decoder.h"
#include "test_model.h"
#include "test_tiny_model.h"

namespace braid::engine::llama {
namespace {

constexpr float kTolerance = 6e-3F;  // F16 cache, whose cells lie in another order
constexpr SequenceId kFork{2}, kFresh{3};

TokenRun tokens(int seed, int rows) {
  TokenRun run;
  for (int i = 0; i < rows; ++i) run.push_back((seed * 89 + i * 37 + i * i) % kTinyVocabulary);
  return run;
}

std::shared_ptr<const Chunk> chunk(int number) {
  auto made = std::make_shared<Chunk>();
  made->id = ChunkId{number};
  made->start = made->end = SessionTime(std::chrono::seconds(number));
  made->prompt.append(tokens(number, 9));
  return made;
}

class TurnOver : public testing::Test {
 protected:
  void append_chunk(int number) {
    const auto entry = timeline_.append(chunk(number));
    ASSERT_TRUE(entry) << entry.error().message;
    prefill(*decoder_, current_, entry->prompt, entry->range.begin, 5);
  }

  void append_turns(int number) {
    Prompt turns;
    turns.append(tokens(1000 + number, 6));
    const auto entry = timeline_.append_turns(std::move(turns), SessionTime(std::chrono::seconds(number)));
    ASSERT_TRUE(entry) << entry.error().message;
    prefill(*decoder_, current_, entry->prompt, entry->range.begin, 5);
  }

  /// The successor is prefilled while two more chunks come, then takes over.
  void turn_over(int& number) {
    Position at = 0;
    for (const Prompt& prompt : timeline_.begin_turn_over())
      at = prefill(*decoder_, successor_, prompt, at, 16).end;
    append_chunk(number++);
    append_chunk(number++);
    for (const Prompt& prompt : timeline_.successor_tail())
      at = prefill(*decoder_, successor_, prompt, at, 16).end;
    timeline_.finish_turn_over();
    decoder_->free(current_);
    std::swap(current_, successor_);
  }

  std::vector<float> forked(const Prompt& question) {
    std::vector<PositionRange> ranges;
    for (const kv::Range& range : timeline_.visible(SessionTime::max(), timeline_.end()))
      ranges.push_back({range.begin, range.end});
    EXPECT_TRUE(decoder_->fork(current_, kFork, ranges));
    return prefill(*decoder_, kFork, question, timeline_.end()).logits;
  }

  /// Opening, the entries from `first` on and the question, on a sequence that never held anything else.
  std::vector<float> from_scratch(std::size_t first, const Prompt& question) {
    Prompt whole = timeline_.opening();
    for (std::size_t i = first; i < timeline_.entries().size(); ++i)
      whole.append(timeline_.entries()[i].prompt);
    whole.append(question);
    decoder_->free(kFresh);
    return prefill(*decoder_, kFresh, whole, 0, 32).logits;
  }

  TinyModel tiny_;
  std::unique_ptr<LlamaDecoder> decoder_ = tiny_.decoder(true);
  kv::Timeline timeline_{{.max_rows = 120}, tokens(500, 7), tokens(501, 1), tokens(502, 3)};
  SequenceId current_{0}, successor_{1};
};

TEST_F(TurnOver, AForksLogitsEqualThoseFromScratchAlsoAfterTwo) {
  prefill(*decoder_, current_, timeline_.opening(), 0);
  int number = 0;
  for (int turn_overs = 0; turn_overs < 2;) {
    append_chunk(number++);
    if (number == 4 || number == 11) append_turns(number);
    if (!timeline_.wants_turn_over()) continue;
    turn_over(number);
    ++turn_overs;
  }
  append_chunk(number++);
  ASSERT_GT(timeline_.evicted(), 6U);
  ASSERT_GT(timeline_.entries().size(), 3U);

  Prompt question;
  question.append(timeline_.question_lead());
  question.append(tokens(700, 8));
  const std::vector<float> logits = forked(question);
  EXPECT_LT(largest_difference(logits, from_scratch(0, question)), kTolerance);
  EXPECT_GT(largest_difference(logits, from_scratch(1, question)), 5 * kTolerance);
}

}  // namespace
}  // namespace braid::engine::llama
