// Perceive ahead, shown by the engine's own record of its calls.
#include <fmt/format.h>

#include <algorithm>

#include "session_fixture.h"

namespace braid::serve {
namespace {

using engine::ScriptedCall;

constexpr int kRowsBesideQuestion = 8;

class PerceiveAhead : public SessionTest {
 protected:
  void expect_only_the_question_is_computed(const Answer& answer) const {
    int prefilled = 0;
    for (const ScriptedCall& call : calls_before_first_token(answer)) {
      EXPECT_NE(call.kind, ScriptedCall::Kind::kEncode) << answer.question;
      prefilled +=
          rows(call, RowKind::kQuestion) + rows(call, RowKind::kPerception) + rows(call, RowKind::kRebuild);
    }
    EXPECT_GT(prefilled, 0) << answer.question;
    EXPECT_LE(prefilled, answer.question_tokens + kRowsBesideQuestion) << answer.question;
  }

  /// Ends of steps that computed rows of a successor.
  std::vector<SteadyTime> rebuild_ends() const {
    std::vector<SteadyTime> ends;
    for (const ScriptedCall& call : made.probe->calls())
      if (rows(call, RowKind::kRebuild) > 0) ends.push_back(call.end);
    return ends;
  }
};

TEST_F(PerceiveAhead, NothingButTheQuestionIsComputedBeforeTheFirstToken) {
  create({.frames = 12, .interval = Milliseconds(500)});
  const QuestionId id = ask(question("What is there?", 5250));
  session->start();
  run_to_end();
  const Answer& answer = heard.answer(id);
  expect_only_the_question_is_computed(answer);
  EXPECT_EQ(answer.text, fmt::format("I see {}.", labels(0, 10)));
  EXPECT_EQ(answer.window.chunks, 11);
}

TEST_F(PerceiveAhead, TimeToFirstTokenDoesNotDependOnHowMuchWasSeen) {
  create({.frames = 30, .interval = Milliseconds(500)});
  const QuestionId early = ask(question("First?", 750)), late = ask(question("Later?", 14250));
  session->start();
  run_to_end();
  const auto ttft = [&](QuestionId id) { return *heard.answer(id).first_token - heard.answer(id).asked; };
  EXPECT_GT(heard.answer(late).window.tokens, 3 * heard.answer(early).window.tokens);
  EXPECT_LE(ttft(late) - ttft(early), Milliseconds(1))
      << to_ms(ttft(late)) << " after " << to_ms(ttft(early));
}

// Questions at many phases of a window that turns over every few frames, each well after its last frame.
TEST_F(PerceiveAhead, HoldsAllThroughTurnOversAndRightAfterThem) {
  options.window.max_rows = 256;
  options.max_waiting_questions = 100;
  create({.frames = 80, .interval = Milliseconds(500)});
  std::vector<QuestionId> ids;
  for (int i = 2; i < 78; ++i)
    ids.push_back(ask(question(fmt::format("Question {}?", i), 500 * i + 150 + (i * 37) % 200)));
  session->start();
  const deliver::Summary summary = run_to_end();
  ASSERT_GE(summary.turn_overs, 2U);
  ASSERT_EQ(summary.answers, ids.size());
  const auto ends = rebuild_ends();
  int right_after = 0;
  for (const QuestionId id : ids) {
    const Answer& answer = heard.answer(id);
    expect_only_the_question_is_computed(answer);
    right_after += std::any_of(ends.begin(), ends.end(), [&](SteadyTime end) {
      return end <= answer.asked && answer.asked - end < Milliseconds(400);
    });
  }
  EXPECT_GE(right_after, 2) << "no question came right after a turn-over: this test shows nothing";
}

TEST_F(PerceiveAhead, AfterTwoTurnOversAnAnswerSeesExactlyItsWindow) {
  options.window.max_rows = 256;
  options.join_turns = false;
  create({.frames = 60, .interval = Milliseconds(500)});
  std::vector<QuestionId> ids;
  for (int i = 1; i < 59; ++i) ids.push_back(ask(question("What is there?", 500 * i + 250)));
  session->start();
  ASSERT_GE(run_to_end().turn_overs, 2U);
  for (int i = 1; i < 59; ++i) {
    const Answer& answer = heard.answer(ids[static_cast<std::size_t>(i - 1)]);
    EXPECT_EQ(answer.text, fmt::format("I see {}.", labels(i + 1 - answer.window.chunks, i)));
    EXPECT_EQ(answer.window.evicted_chunks, i + 1 - answer.window.chunks);
    EXPECT_LE(answer.window.tokens, 256);
    EXPECT_GE(answer.window.chunks, std::min(i + 1, 3));
  }
}

class TwoAnswersOpen : public SessionTest {
 protected:
  static constexpr int kSamples = 40;

  /// Cells in use every 20 ms from 1.2 s on.
  std::vector<int> cells_over_time() {
    std::vector<int> used;
    for (int i = 0; i < kSamples; ++i) {
      sleep_until(1200 + 20 * i);
      used.push_back(made.probe->used_cells());
    }
    return used;
  }
};

TEST_F(TwoAnswersOpen, CacheUseRisesByTheirOwnCellsAlone) {
  const FrameStream stream{.frames = 40, .interval = Milliseconds(100)};
  options.max_open_answers = 2;
  options.join_turns = false;  // a joined turn is no answer's cell
  model.rules = {
      {"", "An answer of a good many words that takes its time to be said aloud to whoever asked."}};
  create_and_start(stream);
  const std::vector<int> alone = cells_over_time();
  run_to_end();

  create(stream);
  const QuestionId one = ask(question("One?", 1150)), two = ask(question("Two?", 1160));
  session->start();
  const std::vector<int> with_answers = cells_over_time();
  run_to_end();
  const Answer &first = heard.answer(one), &second = heard.answer(two);
  const int own = first.question_tokens + first.answer_tokens + second.question_tokens + second.answer_tokens;
  int highest = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_LE(with_answers[i] - alone[i], own) << "sample " << i;
    highest = std::max(highest, with_answers[i] - alone[i]);
  }
  EXPECT_GT(highest, own / 2) << "the answers were not seen in the cache: this test shows nothing";
  EXPECT_LT(std::max(*first.first_token, *second.first_token), std::min(first.last_token, second.last_token));
}

TEST_F(TwoAnswersOpen, PerceptionGoesOnMeanwhile) {
  model.rules = {
      {"", "An answer of a good many words that takes its time to be said aloud to whoever asked."}};
  create({.frames = 40, .interval = Milliseconds(100)});
  const QuestionId one = ask(question("One?", 1150)), two = ask(question("Two?", 1160));
  session->start();
  run_to_end();
  const Answer &first = heard.answer(one), &second = heard.answer(two);
  int perceived = 0;
  for (const ScriptedCall& call : calls_within(std::max(*first.first_token, *second.first_token),
                                               std::min(first.last_token, second.last_token)))
    perceived += call.kind == ScriptedCall::Kind::kStep ? rows(call, RowKind::kPerception) : 0;
  EXPECT_GE(perceived, 2 * model.rows_per_frame);
}

}  // namespace
}  // namespace braid::serve
