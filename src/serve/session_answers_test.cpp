// How answers begin, wait, end and join, whatever a client does meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kLongAnswer = "A long answer, one byte a token, which takes several steps to be told.";

class SessionAnswers : public SessionTest {
 protected:
  SessionAnswers() {
    model.rules = {{"said", "You said {said}."}, {"long", kLongAnswer}, {"", "I see {last}."}};
  }
  const FrameStream stream{.frames = 6, .interval = Milliseconds(500)};
};

TEST_F(SessionAnswers, JoinTheTimelineAsTurns) {
  create(stream);
  ask(question("First?", 700));
  const QuestionId second = ask(question("What was said?", 2200));
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answer(second).text, "You said I see f1..");
}

TEST_F(SessionAnswers, LeaveNoTraceWhereTurnsDoNotJoin) {
  options.join_turns = false;
  create(stream);
  ask(question("First?", 700));
  const QuestionId second = ask(question("What was said?", 2200));
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answer(second).text, "You said nothing.");
}

TEST_F(SessionAnswers, SeeWhatAMemoryHasOnTheQuestionAndDoNotKeepIt) {
  options.recall = [this](Question& asked) {
    clock.sleep_for(Milliseconds(3));
    if (asked.text != "First?") return;
    asked.evidence = {{2, "2026-11-29T10:00:01Z", "plc", "hot"},
                      {3, "2026-11-29T09:00:00Z", "plc", std::string(5000, 'x')},
                      {1, "2026-11-29T10:00:00Z", "plc", "cold"}};
  };
  create(stream);
  const QuestionId first = ask(question("First?", 700));
  const QuestionId same = ask(question("Other?", 900));
  session->start();
  const auto summary = run_to_end();
  const Answer& answer = heard.answer(first);
  ASSERT_EQ(answer.evidence.size(), 2U) << "what doesn't fit is left out";
  EXPECT_EQ(answer.evidence[0].record, 1) << "in order of time";
  EXPECT_EQ(answer.evidence[1].record, 2);
  EXPECT_EQ(answer.stages[Stage::kRetrieve], Milliseconds(3));
  const Answer& other = heard.answer(same);
  EXPECT_TRUE(other.evidence.empty());
  const int evidence_bytes = static_cast<int>(std::string("[2026-11-29T10:00:01Z] plc: hot\n"
                                                          "[2026-11-29T10:00:00Z] plc: cold\n")
                                                  .size());
  const int separator = 1;  // the other stands at a turn's begin
  EXPECT_EQ(answer.question_tokens, other.question_tokens + separator + evidence_bytes) << "one byte a token";
  EXPECT_LT(other.window.tokens, answer.window.tokens + evidence_bytes);
}

TEST_F(SessionAnswers, BeyondTheOpenOnesWaitTheirTurn) {
  options.max_open_answers = 1;
  create(stream);
  std::vector<QuestionId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(ask(question("A long one?", 700)));
  session->start();
  run_to_end();
  for (int i = 0; i + 1 < 3; ++i) {
    const Answer& before = heard.answer(ids[static_cast<std::size_t>(i)]);
    const Answer& after = heard.answer(ids[static_cast<std::size_t>(i) + 1]);
    EXPECT_GE(*after.first_token, before.last_token);
    EXPECT_EQ(after.stages.sum(), after.last_token - after.asked) << "waiting is nobody's";
    EXPECT_EQ(after.finish, FinishReason::kStop);
  }
}

TEST_F(SessionAnswers, AreMadeAtTheSameTimeUpToTheLimit) {
  options.max_open_answers = 2;
  create(stream);
  const QuestionId one = ask(question("A long one?", 700)), two = ask(question("Another long one?", 700));
  session->start();
  run_to_end();
  EXPECT_LT(*heard.answer(two).first_token, heard.answer(one).last_token);
}

TEST_F(SessionAnswers, CancelledBeforeTheirTimeEndSo) {
  create_and_start(stream);
  const QuestionId id = ask(question("A long one?", 2200)), other = ask(question("Other?", 2300));
  sleep_until(500);
  session->cancel(id);
  run_to_end();
  EXPECT_EQ(heard.answer(id).finish, FinishReason::kCancelled);
  EXPECT_EQ(heard.answer(id).text, "");
  EXPECT_EQ(heard.answer(other).finish, FinishReason::kStop);
}

TEST_F(SessionAnswers, CancelledWhileTheyWaitEndSo) {
  options.max_open_answers = 1;
  create_and_start(stream);
  const QuestionId first = ask(question("A long one?", 700)), waiting = ask(question("Waiting?", 700));
  sleep_until(800);
  session->cancel(waiting);
  run_to_end();
  EXPECT_EQ(heard.answer(first).text, kLongAnswer);
  EXPECT_EQ(heard.answer(waiting).finish, FinishReason::kCancelled);
  EXPECT_EQ(heard.answer(waiting).answer_tokens, 0);
}

TEST_F(SessionAnswers, CancelledWhileTheyAreMadeJoinAsFarAsTheyWent) {
  create_and_start(stream);
  const QuestionId id = ask(question("A long one?", 700)), later = ask(question("What was said?", 2200));
  sleep_until(850);
  session->cancel(id);
  run_to_end();
  const Answer& cut = heard.answer(id);
  EXPECT_EQ(cut.finish, FinishReason::kCancelled);
  ASSERT_TRUE(cut.error);
  EXPECT_EQ(cut.error->code, ErrorCode::kCancelled);
  EXPECT_GT(cut.answer_tokens, 2);
  EXPECT_EQ(cut.text, std::string(kLongAnswer).substr(0, cut.text.size()));
  EXPECT_LT(cut.text.size(), std::string(kLongAnswer).size());
  EXPECT_EQ(heard.answer(later).text, fmt::format("You said {}.", cut.text));
  EXPECT_LT(cut.last_token - session->started_at(), Milliseconds(850) + host_options.step_target);
}

TEST_F(SessionAnswers, CancellingWhatIsUnknownOrOverIsIgnored) {
  create_and_start(stream);
  const QuestionId id = ask(question("First?", 700));
  session->cancel(QuestionId{77});
  session->cancel(QuestionId{});
  sleep_until(2000);
  session->cancel(id);
  run_to_end();
  EXPECT_EQ(heard.answers.size(), 1U);
  EXPECT_EQ(heard.answer(id).finish, FinishReason::kStop);
}

TEST_F(SessionAnswers, ThatAreCutAtTheirLengthSaySo) {
  create(stream);
  Question asked = question("A long one?", 700);
  asked.max_tokens = 7;
  const QuestionId id = ask(asked);
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answer(id).finish, FinishReason::kLength);
  EXPECT_EQ(heard.answer(id).text, std::string(kLongAnswer).substr(0, 7));
}

TEST_F(SessionAnswers, ToOverlongQuestionsAreRefusedBeforeAnythingIsWatched) {
  create(stream);
  const auto huge = session->ask(question(std::string(5000, 'x'), 700));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::kLimit);
  EXPECT_THAT(huge.error().message, HasSubstr("512"));
  const auto vast = session->ask(question(std::string(1 << 20, 'x'), 700));
  ASSERT_FALSE(vast);
  EXPECT_THAT(vast.error().message, HasSubstr("1048576 bytes"));
  const QuestionId next = ask(question("Next?", 900));
  session->start();
  const deliver::Summary summary = run_to_end();
  EXPECT_EQ(heard.answer(next).text, "I see f1.");
  EXPECT_EQ(summary.questions, 1U);
}

TEST_F(SessionAnswers, LongerThanTheSessionHasRoomForAreRefused) {
  options.max_answer_tokens = 20;
  create(stream);
  Question asked = question("A long one?", 700);
  asked.max_tokens = 21;
  const auto refused = session->ask(asked);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_THAT(refused.error().message, HasSubstr("20"));
}

TEST_F(SessionAnswers, AreOneEachHoweverManyAreAskedAtOnce) {
  options.max_waiting_questions = 256;
  options.join_turns = false;  // so many turns would push the frames out of the window
  create(stream);
  std::vector<QuestionId> ids;
  for (int i = 0; i < 200; ++i) ids.push_back(ask(question(fmt::format("Number {}?", i), 700)));
  session->start();
  run_to_end();
  for (const QuestionId id : ids) EXPECT_EQ(heard.answer(id).text, "I see f1.");
  EXPECT_EQ(heard.answers.size(), ids.size());
}

TEST_F(SessionAnswers, BeyondThoseThatMayWaitAreRefusedAtOnce) {
  options.max_waiting_questions = 8;
  create(stream);
  for (int i = 0; i < 8; ++i) ask(question("Early?", 700));
  const auto refused = session->ask(question("Too many?", 700));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  EXPECT_TRUE(refused.error().retryable);
  session->start();
  sleep_until(2000);
  EXPECT_TRUE(session->ask(question("Later?", 2300)));
  run_to_end();
  EXPECT_EQ(heard.answers.size(), 9U);
}

TEST_F(SessionAnswers, AboutAMomentThatHasPassedAreGivenOutOfWhatWasThereThen) {
  options.realtime = true;
  create_and_start({.frames = 20, .paced = true});
  sleep_until(5100);
  const QuestionId past = ask(question("What?", 700));
  run_to_end();
  const Answer& answer = heard.answer(past);
  EXPECT_EQ(answer.text, "I see f1.");
  EXPECT_EQ(answer.window.to, at_ms(500));
  EXPECT_GE(answer.asked, session->started_at() + Milliseconds(5100)) << "its clock runs from when it came";
  for (const Nanoseconds stage : answer.stages.by_stage) EXPECT_GE(stage, Nanoseconds::zero());
}

TEST_F(SessionAnswers, ThatNobodyWantsAnyMoreMakeRoomForOthersBeforeTheirMoment) {
  options.max_waiting_questions = 2;
  create_and_start({.frames = 20, .paced = true});
  const QuestionId first = ask(question("In time?", 9000)), second = ask(question("At the end?"));
  EXPECT_FALSE(session->ask(question("Too many?", 9000)));
  session->cancel(first);
  session->cancel(second);
  sleep_until(2000);
  EXPECT_EQ(heard.answer(first).finish, FinishReason::kCancelled);
  EXPECT_EQ(heard.answer(second).finish, FinishReason::kCancelled);
  EXPECT_TRUE(session->ask(question("Later?", 2300)));
  EXPECT_TRUE(session->ask(question("And later?", 2300)));
  run_to_end();
  EXPECT_EQ(heard.answers.size(), 4U);
}

TEST_F(SessionAnswers, EndWithTheErrorWhenAStepFailsAndTheNextIsAnswered) {
  create(stream);
  const QuestionId first = ask(question("A long one?", 700));
  session->start();
  run_to_end();
  const auto calls = made.probe->calls();
  std::uint64_t step = 0, decode_step = 0;
  for (const auto& call : calls) {
    step += call.kind == engine::ScriptedCall::Kind::kStep ? 1 : 0;
    if (call.begin > *heard.answer(first).first_token && decode_step == 0) decode_step = step + 3;
  }
  heard.answers.clear();

  model.failing_steps = {decode_step};
  create(stream);
  const QuestionId hit = ask(question("A long one?", 700)), next = ask(question("Next?", 1800));
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answer(hit).finish, FinishReason::kError);
  ASSERT_TRUE(heard.answer(hit).error);
  EXPECT_EQ(heard.answer(hit).error->code, ErrorCode::kInternal);
  EXPECT_EQ(heard.answer(next).text, "I see f3.");
}

TEST_F(SessionAnswers, AreRefusedAfterPerceptionFailedAndTheSessionStillEnds) {
  model.failing_steps = {3};
  create(stream);
  const QuestionId id = ask(question("What is there?", 2200));
  session->start();
  const deliver::Summary summary = run_to_end();
  EXPECT_EQ(heard.answer(id).finish, FinishReason::kError);
  ASSERT_EQ(heard.faults.size(), 1U);
  EXPECT_EQ(heard.faults[0].error.code, ErrorCode::kInternal);
  EXPECT_EQ(summary.errors, 2U);
  EXPECT_EQ(summary.frames_sampled, 6U);
}

TEST_F(SessionAnswers, MissOnlyThePictureThatCouldNotBeEncoded) {
  model.failing_encodes = {2};
  model.rules = {{"", "I see {seen}."}};
  create(stream);
  const QuestionId id = ask(question("What is there?", 1700));
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answer(id).text, "I see f0, f2, f3.");
  ASSERT_EQ(heard.faults.size(), 1U);
  EXPECT_EQ(heard.faults[0].source, "camera");
}

}  // namespace
}  // namespace braid::serve
