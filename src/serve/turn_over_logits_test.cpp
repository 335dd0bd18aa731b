// What a turned-over timeline's fork computes is what a context computes that never knew the evicted part.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "braid/engine/llama_engine.h"
#include "session/perception.h"
#include "session/tally.h"
#include "watch/model_files.h"

namespace braid::serve {
namespace {

// Chunks and mates of a step change the order of float sums; a lost, doubled or shifted cell moves logits by
// whole units.
constexpr float kTolerance = 0.05F;
constexpr int kStepRows = 64;

class TurnOverLogits : public testing::Test {
 protected:
  void SetUp() override {
    auto files = with_default_model({});
    if (!files) GTEST_SKIP() << files.error().message;
    engine::LlamaOptions options;
    options.model = files->model;
    options.cells = 1024;
    options.max_sequences = 4;
    options.deterministic = true;
    auto loaded = engine::load_llama(options);
    if (!loaded && loaded.error().code == ErrorCode::kUnsupported) GTEST_SKIP() << loaded.error().message;
    ASSERT_TRUE(loaded) << loaded.error().message;
    engine_ = std::move(*loaded);
  }

  TokenRun tokens(const std::string& text, bool special = false) const {
    return engine_.tokenizer->tokenize(text, special);
  }

  encode::Encoded line(int number) const {
    encode::Encoded encoded;
    encoded.chunk = std::make_shared<Chunk>();
    encoded.chunk->id = ChunkId{number};
    encoded.chunk->start = encoded.chunk->end = SessionTime(std::chrono::seconds(number));
    encoded.chunk->prompt.append(tokens("[" + std::to_string(number) + ".0s] gate " +
                                        std::to_string(number % 7) + " opened for train " +
                                        std::to_string(number * 13)));
    encoded.end = encoded.start = encoded.chunk->end;
    return encoded;
  }

  /// Runs the jobs that perception has, as the engine's loop does.
  void prefill(Perception& perception) {
    while (true) {
      schedule::Ready ready;
      perception.ready(ready);
      schedule::Planned planned;
      planner_.plan(ready, planned);
      if (planned.plan.rows.empty()) return;
      ASSERT_TRUE(engine_.decoder->step(planned.plan));
      perception.step_done(planned, clock_.now());
    }
  }

  void perceive(Perception& perception, int number) {
    encode::Encoded encoded = line(number);
    for (int tries = 0; !perception.offer(encoded); ++tries) {
      ASSERT_LT(tries, 4) << "no room came for line " << number;
      turn_over(perception);
    }
    prefill(perception);
    turn_over(perception);
  }

  void turn_over(Perception& perception) {
    turn_overs_ += perception.turn_over_if_due();
    prefill(perception);
    turn_overs_ += perception.turn_over_if_due();
  }

  /// Logits after `prompt` on a sequence from `at` on.
  std::vector<float> logits_after(SequenceId sequence, Position at, Prompt prompt, int step_rows = kStepRows) {
    schedule::PrefillJob job(sequence, at, std::move(prompt), RowKind::kQuestion, true);
    std::vector<float> logits;
    while (!job.done()) {
      StepPlan plan;
      const int rows = job.emit(plan, step_rows);
      const auto result = engine_.decoder->step(plan);
      EXPECT_TRUE(result) << result.error().message;
      if (!result) break;
      job.commit(rows);
      if (job.done()) logits.assign(result->logits[0].begin(), result->logits[0].end());
    }
    return logits;
  }

  Prompt question(Perception& perception) const {
    Prompt prompt;
    prompt.append(perception.timeline().question_lead());
    prompt.append(tokens("Which train came last?"));
    prompt.append(tokens(engine_.tokenizer->chat().end_of_question, true));
    return prompt;
  }

  RealClock clock_;
  engine::Engine engine_;
  Tally tally_;
  schedule::Planner planner_{{.max_rows = kStepRows, .step_target = Milliseconds(100000)},
                             schedule::StepCost(Milliseconds(1), Microseconds(1))};
  int turn_overs_ = 0;
};

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST_F(TurnOverLogits, AfterTwoTurnOversEqualThoseComputedFromScratch) {
  kv::Ledger ledger(engine_.info.cells, engine_.info.max_sequences);
  Perception perception({.max_rows = 256}, engine_, ledger, clock_, tally_, [](encode::Encoded&) {});
  ASSERT_TRUE(perception.open());
  prefill(perception);
  for (int number = 0; turn_overs_ < 2 || number % 4 != 0; ++number) {
    ASSERT_LT(number, 100) << "the window does not turn over";
    perceive(perception, number);
  }
  ASSERT_TRUE(perception.caught_up());
  const kv::Timeline& timeline = perception.timeline();
  ASSERT_GT(timeline.evicted(), 0U);
  ASSERT_GT(timeline.entries().size(), 3U);

  const Prompt asked = question(perception);
  const auto fork = perception.fork(SessionTime(std::chrono::hours(1)));
  ASSERT_TRUE(fork);
  const std::vector<float> forked = logits_after(*fork, ledger.end(*fork), asked);

  Prompt whole = timeline.opening();
  for (const kv::Entry& entry : timeline.entries()) whole.append(entry.prompt);
  whole.append(asked);
  const auto fresh = ledger.open();
  ASSERT_TRUE(fresh);
  const std::vector<float> scratch = logits_after(*fresh, 0, whole);

  engine_.decoder->free(*fresh);
  const std::vector<float> other = logits_after(*fresh, 0, whole, 17);
  const auto rms=[](auto&a, auto&b){double t=0; for(size_t i=0;i<a.size();++i) t+=(a[i]-b[i])*(a[i]-b[i]); return std::sqrt(t/a.size());};
  printf("fork/scratch %f %f\n", largest_difference(forked,scratch), rms(forked,scratch));
  printf("scratch/17 %f %f\n", largest_difference(other,scratch), rms(other,scratch));
  printf("fork/17 %f %f\n", largest_difference(other,forked), rms(other,forked));
  ASSERT_FALSE(forked.empty());
  ASSERT_EQ(forked.size(), scratch.size());
  EXPECT_LE(largest_difference(forked, scratch), kTolerance);
  EXPECT_EQ(std::max_element(forked.begin(), forked.end()) - forked.begin(),
            std::max_element(scratch.begin(), scratch.end()) - scratch.begin());

  // The measure can tell: without the oldest kept line the logits are others.
  Prompt less = timeline.opening();
  for (std::size_t i = 1; i < timeline.entries().size(); ++i) less.append(timeline.entries()[i].prompt);
  less.append(asked);
  engine_.decoder->free(*fresh);
  const auto x=logits_after(*fresh, 0, less); printf("fork/less %f %f\n", largest_difference(x,forked), rms(x,forked));
}

}  // namespace
}  // namespace braid::serve
