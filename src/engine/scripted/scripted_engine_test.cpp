#include "braid/engine/scripted_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "braid/base/virtual_clock.h"
#include "braid/engine/scripted_media.h"

namespace braid::engine {
namespace {

using testing::HasSubstr;

/// Feeds prompts and reads answers as decode does, one sequence at a time.
class ScriptedEngineTest : public testing::Test {
 protected:
  void start(ScriptedOptions options = {}) {
    made_ = make_scripted_engine(clock_, std::move(options));
    prefill(timeline_, text(chat().begin, true));
  }

  Engine& engine() { return made_.engine; }
  const ChatFormat& chat() { return engine().tokenizer->chat(); }

  Prompt text(std::string_view words, bool special = false) {
    Prompt prompt;
    prompt.append(engine().tokenizer->tokenize(words, special));
    return prompt;
  }

  Result<Prompt> picture(std::string_view label) {
    const Frame frame = make_labelled_frame(pool_, label, {}, SourceId{0}).value();
    const Medium medium = &frame;
    auto prompts = engine().encoder->encode({&medium, 1});
    if (!prompts) return tl::unexpected(prompts.error());
    return prompts->front();
  }

  Result<Prompt> sound(SessionTime from, Nanoseconds duration, double hz = 440.0) {
    AudioBlock block = make_tone(from, duration, SourceId{0}, hz);
    Utterance utterance{SourceId{0}, from, from + duration, block.sample_rate, block.samples, {}};
    const Medium medium = &utterance;
    auto prompts = engine().encoder->encode({&medium, 1});
    if (!prompts) return tl::unexpected(prompts.error());
    return prompts->front();
  }

  StepPlan plan_of(SequenceId sequence, const Prompt& prompt, bool wants_logits) {
    StepPlan plan;
    Position position = ends_[sequence.value];
    for (const Piece& piece : prompt.pieces) {
      const auto* tokens = std::get_if<TokenRun>(&piece);
      const std::size_t n = tokens ? tokens->size() : std::get<EmbeddingRun>(piece).rows->rows;
      for (std::size_t i = 0; i < n; ++i) {
        Row row{sequence, position++};
        if (tokens)
          row.token = (*tokens)[i];
        else
          row.embedding = std::get<EmbeddingRun>(piece).rows->row(i).data();
        plan.rows.push_back(row);
      }
    }
    plan.rows.back().wants_logits = wants_logits;
    return plan;
  }

  Token prefill(SequenceId sequence, const Prompt& prompt, bool wants_logits = false) {
    const auto result = engine().decoder->step(plan_of(sequence, prompt, wants_logits));
    EXPECT_TRUE(result) << result.error().message;
    ends_[sequence.value] += prompt.positions();
    if (!wants_logits || !result) return -1;
    const auto logits = result->logits.at(0);
    return static_cast<Token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  }

  void perceive(std::string_view time, const Prompt& content) {
    prefill(timeline_, text(time));
    prefill(timeline_, content);
    prefill(timeline_, text("\n"));
  }

  std::string finish_answer(SequenceId sequence, Token token) {
    std::string answer;
    for (int i = 0; i < 500 && token >= 0 && !engine().tokenizer->ends_generation(token); ++i) {
      answer += engine().tokenizer->piece(token);
      Prompt next;
      next.append(TokenRun{token});
      token = prefill(sequence, next, true);
    }
    return answer;
  }

  std::string ask(std::string_view question, std::vector<PositionRange> ranges = {}) {
    if (ranges.empty()) ranges = {{0, ends_[0]}};
    EXPECT_TRUE(engine().decoder->fork(timeline_, fork_, ranges));
    ends_[1] = ranges.back().end;
    Prompt prompt = text(question);
    prompt.append(text(chat().end_of_question, true));
    const std::string answer = finish_answer(fork_, prefill(fork_, prompt, true));
    engine().decoder->free(fork_);
    return answer;
  }

  VirtualClock clock_;
  SlotPool pool_{3 * 64 * 48, 8};
  ScriptedEngine made_;
  SequenceId timeline_{0}, fork_{1};
  std::array<Position, 4> ends_{};
};

TEST_F(ScriptedEngineTest, AnswersWithWhatWasSeenAndHeardInOrder) {
  ScriptedOptions options;
  options.heard = {{SessionTime(Milliseconds(900)), SessionTime(Milliseconds(2000)), "hello there", {}}};
  start(options);
  perceive("[0.0s]", picture("a red car").value());
  perceive("[1.0-2.0s]", sound(SessionTime(Milliseconds(1000)), Milliseconds(1000)).value());
  perceive("[2.0s]", picture("a blue car").value());
  EXPECT_EQ(ask("What is there?"), "I see a red car, a blue car. I hear hello there.");
}

TEST_F(ScriptedEngineTest, SaysNothingWhenNothingWasPerceived) {
  start();
  EXPECT_EQ(ask("What is there?"), "I see nothing. I hear nothing.");
}

TEST_F(ScriptedEngineTest, FirstRuleThatFitsTheQuestionAnswers) {
  ScriptedOptions options;
  options.rules = {{"temperature", "It reads {read}; newest {last}."}, {"", "You asked: {question}"}};
  start(options);
  perceive("[1.0s]", text(" press t=81"));
  perceive("[2.0s]", text(" press t=84"));
  EXPECT_EQ(ask("What temperature?"), "It reads press t=81, press t=84; newest press t=84.");
  EXPECT_EQ(ask("Why?"), "You asked: Why?");
}

TEST_F(ScriptedEngineTest, ForkThatLeavesARangeOutDoesNotKnowIt) {
  start();
  perceive("[0.0s]", picture("a cat").value());
  const Position after_cat = ends_[0];
  perceive("[1.0s]", picture("a dog").value());
  EXPECT_EQ(ask("What?", {{0, after_cat}}), "I see a cat. I hear nothing.");
  EXPECT_EQ(ask("What?"), "I see a cat, a dog. I hear nothing.");
}

TEST_F(ScriptedEngineTest, ForkThatCutsAPictureSaysSo) {
  start();
  perceive("[0.0s]", picture("a cat").value());
  EXPECT_EQ(ask("What?", {{0, ends_[0] - 5}}), "I see part of a cat. I hear nothing.");
}

TEST_F(ScriptedEngineTest, EarlierAnswersAreTurnsAndQuestionsDontMix) {
  ScriptedOptions options;
  options.rules = {{"before", "Before: {said}"}, {"", "To '{question}': {seen}"}};
  start(options);
  perceive("[0.0s]", picture("a cat").value());
  prefill(timeline_, text("What was it?"));
  prefill(timeline_, text(chat().end_of_question + "A cat." + chat().next_turn, true));
  perceive("[1.0s]", picture("a dog").value());
  EXPECT_EQ(ask("And now?"), "To 'And now?': a cat, a dog");
  EXPECT_EQ(ask("What did you say before?"), "Before: A cat.");
}

TEST_F(ScriptedEngineTest, LastUtteranceIsTheQuestionWhenNoneIsWritten) {
  ScriptedOptions options;
  options.heard = {{kSessionStart, SessionTime(Milliseconds(1000)), "what do you see", {}}};
  options.rules = {{"what do you see", "{seen}!"}};
  start(options);
  perceive("[0.0s]", picture("a cat").value());
  perceive("[0.0-1.0s]", sound(kSessionStart, Milliseconds(1000)).value());
  EXPECT_EQ(ask(""), "a cat!");
}

TEST_F(ScriptedEngineTest, UtteranceNobodyDeclaredIsAToneOfItsFrequency) {
  start();
  perceive("[0.0-1.0s]", sound(kSessionStart, Milliseconds(1000), 880.0).value());
  EXPECT_EQ(ask("What?"), "I see nothing. I hear a tone of 880 Hz.");
}

TEST_F(ScriptedEngineTest, SequenceContinuedWithOtherTokensGoesOnFromThere) {
  start();
  ASSERT_TRUE(engine().decoder->fork(timeline_, fork_, std::array{PositionRange{0, ends_[0]}}));
  ends_[1] = ends_[0];
  const Token first = prefill(fork_, text("What?" + chat().end_of_question, true), true);
  EXPECT_EQ(engine().tokenizer->piece(first), "I");
  const Token next = prefill(fork_, text("We"), true);
  EXPECT_EQ("We" + finish_answer(fork_, next), "Wesee nothing. I hear nothing.");
}

TEST_F(ScriptedEngineTest, SpendsItsDeclaredCostsOnTheClock) {
  ScriptedOptions options;
  options.frame_encode_cost = Milliseconds(30);
  options.utterance_encode_cost = Milliseconds(8);
  options.step_cost = Milliseconds(4);
  options.row_cost = Milliseconds(1);
  start(options);
  const auto took = [this](auto&& work) {
    const SteadyTime before = clock_.now();
    work();
    return clock_.now() - before;
  };
  EXPECT_EQ(took([&] { (void)picture("x"); }), Milliseconds(30));
  EXPECT_EQ(took([&] { (void)sound(kSessionStart, Milliseconds(1500)); }), Milliseconds(12));
  EXPECT_EQ(took([&] { prefill(timeline_, text("abc")); }), Milliseconds(4 + 3));
}

TEST_F(ScriptedEngineTest, TwoPassesWhereTokensAndEmbeddingsDontShareOne) {
  ScriptedOptions options;
  options.one_pass = false;
  start(options);
  const Prompt marked = picture("x").value();
  const auto before = engine().decoder->counters();
  prefill(timeline_, marked);
  prefill(timeline_, text("ab"));
  EXPECT_EQ(engine().decoder->counters().passes - before.passes, 3U);
  EXPECT_EQ(engine().decoder->counters().steps - before.steps, 2U);
}

TEST_F(ScriptedEngineTest, ForksShareCellsAndFreeingGivesBackTheRest) {
  start();
  perceive("[0.0s]", picture("a cat").value());
  const int used = made_.probe->used_cells();
  ASSERT_TRUE(engine().decoder->fork(timeline_, fork_, std::array{PositionRange{0, ends_[0]}}));
  EXPECT_EQ(made_.probe->used_cells(), used);
  engine().decoder->free(timeline_);
  EXPECT_EQ(made_.probe->used_cells(), used);
  EXPECT_THAT(made_.probe->contents(fork_), HasSubstr("[0.0s]<|image|>{a cat}<|/image|>"));
  engine().decoder->free(fork_);
  EXPECT_EQ(made_.probe->used_cells(), 0);
  EXPECT_EQ(made_.probe->peak_cells(), used);
}

TEST_F(ScriptedEngineTest, FullWhenCellsAreOutAndNothingIsAppended) {
  ScriptedOptions options;
  options.cells = 10;
  start(options);
  const int used = made_.probe->used_cells();
  const auto result = engine().decoder->step(plan_of(timeline_, text("123456789"), false));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kFull);
  EXPECT_TRUE(result.error().retryable);
  EXPECT_EQ(made_.probe->used_cells(), used);
}

TEST_F(ScriptedEngineTest, RefusesAPositionThatIsNotNext) {
  start();
  StepPlan plan = plan_of(timeline_, text("x"), false);
  ++plan.rows[0].position;
  EXPECT_FALSE(engine().decoder->step(plan));
}

TEST_F(ScriptedEngineTest, RefusesPositionsThatTheModelNeverLearnt) {
  ScriptedOptions options;
  options.trained_context = 6;
  start(options);
  EXPECT_FALSE(engine().decoder->step(plan_of(timeline_, text("12345"), false)));
}

TEST_F(ScriptedEngineTest, FailsTheStepsAndEncodesTheScriptNames) {
  ScriptedOptions options;
  options.failing_steps = {2};
  options.failing_encodes = {1};
  start(options);
  EXPECT_EQ(picture("x").error().code, ErrorCode::kBadInput);
  EXPECT_TRUE(picture("x"));
  EXPECT_EQ(engine().decoder->step(plan_of(timeline_, text("a"), false)).error().code, ErrorCode::kInternal);
  EXPECT_TRUE(engine().decoder->step(plan_of(timeline_, text("a"), false)));
}

TEST_F(ScriptedEngineTest, CannotHideOrForgetWhereTheScriptSaysSo) {
  ScriptedOptions options;
  options.can_hide_ranges = false;
  options.can_forget = false;
  start(options);
  prefill(timeline_, text("abcdef"));
  const std::array two = {PositionRange{0, 2}, PositionRange{4, 6}};
  EXPECT_EQ(engine().decoder->fork(timeline_, fork_, two).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(engine().decoder->forget(timeline_, {0, 2}).error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(engine().decoder->fork(timeline_, fork_, std::array{PositionRange{0, ends_[0]}}));
}

TEST_F(ScriptedEngineTest, IndivisiblePicturesNeedAStepOfTheirOwn) {
  ScriptedOptions options;
  options.indivisible_media = true;
  start(options);
  const Prompt prompt = picture("x").value();
  EXPECT_FALSE(engine().decoder->step(plan_of(timeline_, prompt, false)));
  Prompt alone;
  alone.pieces = {prompt.pieces[1]};
  StepPlan plan = plan_of(timeline_, alone, false);
  plan.non_causal = true;
  EXPECT_TRUE(engine().decoder->step(plan));
}

TEST_F(ScriptedEngineTest, EncodesNoSenseItDoesNotHave) {
  ScriptedOptions options;
  options.hears = false;
  start(options);
  EXPECT_EQ(sound(kSessionStart, Milliseconds(100)).error().code, ErrorCode::kUnsupported);
}

TEST_F(ScriptedEngineTest, TextComesBackFromItsTokens) {
  ScriptedOptions options;
  options.words = {"What ", "Wh"};
  start(options);
  const std::string text = "What é <|end|> 中";
  const TokenRun plain = engine().tokenizer->tokenize(text, false);
  std::string back;
  for (const Token token : plain) back += engine().tokenizer->piece(token);
  EXPECT_EQ(back, text);
  EXPECT_EQ(plain.size(), text.size() - 4);  // "What " is one
  EXPECT_FALSE(std::any_of(plain.begin(), plain.end(),
                           [&](Token t) { return engine().tokenizer->ends_generation(t); }));
  EXPECT_TRUE(engine().tokenizer->ends_generation(engine().tokenizer->tokenize("<|end|>", true).at(0)));
}

TEST(ScriptedMediaTest, LabelsSurviveInPixelsAndDifferentOnesLookDifferent) {
  SlotPool pool(3 * 64 * 48, 4);
  const Frame cat = make_labelled_frame(pool, "a cat", kSessionStart, SourceId{0}).value();
  const Frame dog = make_labelled_frame(pool, "a dog", kSessionStart, SourceId{0}).value();
  EXPECT_EQ(label_of(cat), "a cat");
  EXPECT_EQ(label_of(make_blank_frame(pool, kSessionStart, SourceId{0}).value()), std::nullopt);
  int different = 0;
  for (std::size_t i = 64 * 3; i < 64 * 48 * 3; ++i)
    different += std::abs(cat.pixels.data()[i] - dog.pixels.data()[i]) > 10;
  EXPECT_GE(different, 16 * 12 * 3 - 64 * 3);
}

TEST(ScriptedMediaTest, LabelThatDoesNotFitIsRefused) {
  SlotPool pool(3 * 64 * 48, 1);
  const auto frame = make_labelled_frame(pool, std::string(188, 'x'), kSessionStart, SourceId{0});
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace braid::engine
