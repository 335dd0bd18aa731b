// What is given up, and what isn't, when frames come faster than they can be perceived.

#include <algorithm>

#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// For a frame a second. A question may wait for three such after its patience has ended: one that was begun
// before, the newest, and one after it, whose encode may come before the newest's prefill.
constexpr Nanoseconds kTooSlow = Milliseconds(1500);

class SessionOverload : public SessionTest {
 protected:
  SessionOverload() { options.realtime = true; }

  /// Asks in the midst of a camera's frames, one a second.
  const Answer& ask_meanwhile(std::optional<Nanoseconds> deadline = std::nullopt) {
    create_and_start({.frames = 40, .interval = Milliseconds(1000), .paced = true, .live = true});
    sleep_until(20'500);
    Question asked = question("What?");
    asked.now = true;
    asked.deadline = deadline;
    const QuestionId id = ask(std::move(asked));
    run_to_end();
    return heard.answer(id);
  }
  std::ptrdiff_t passed_over() const {
    return std::count_if(heard.perceived.begin(), heard.perceived.end(),
                         [](const deliver::Perceived& frame) { return frame.reason == "superseded"; });
  }
  static Nanoseconds waited(const Answer& answer) { return *answer.first_token - answer.asked; }
};

TEST_F(SessionOverload, AQuestionThatWaitsTooLongWaitsForTheNewestFrameAlone) {
  model.frame_encode_cost = kTooSlow;
  const Answer& answer = ask_meanwhile();
  EXPECT_THAT(answer.degraded, ElementsAre("frames"));
  EXPECT_GT(passed_over(), 2);
  EXPECT_GT(waited(answer), Milliseconds(1000)) << "before that, nothing is given up";
  EXPECT_LT(waited(answer), Milliseconds(1000 + 200) + 3 * kTooSlow);
  EXPECT_GE(answer.window.to, answer.asked_at - Milliseconds(1000))
      << "the newest frame is never passed over";
}

TEST_F(SessionOverload, ADeadlineMakesItLessPatient) {
  model.frame_encode_cost = kTooSlow;
  const Answer& answer = ask_meanwhile(Milliseconds(800));
  EXPECT_THAT(answer.degraded, ElementsAre("frames"));
  EXPECT_LT(waited(answer), Milliseconds(400 + 200) + 3 * kTooSlow);
}

TEST_F(SessionOverload, WithoutPatienceForFewerItWaitsForAll) {
  model.frame_encode_cost = kTooSlow;
  options.frame_patience = std::chrono::hours(1);
  const Answer& answer = ask_meanwhile();
  EXPECT_THAT(answer.degraded, IsEmpty());
  EXPECT_EQ(passed_over(), 0);
  EXPECT_GT(waited(answer), 4 * kTooSlow);
}

TEST_F(SessionOverload, WhoKeepsUpGivesNothingUp) {
  model.frame_encode_cost = Milliseconds(20);
  const Answer& answer = ask_meanwhile(Milliseconds(400));
  EXPECT_THAT(answer.degraded, IsEmpty());
  EXPECT_EQ(passed_over(), 0);
  EXPECT_LT(waited(answer), Milliseconds(200));
}

TEST_F(SessionOverload, NothingIsGivenUpWhereTheClockIsNotFollowed) {
  options.realtime = false;
  model.frame_encode_cost = Milliseconds(400);
  create_and_start({.frames = 30, .interval = Milliseconds(100)});
  const QuestionId id = ask(question("What?", 2900));
  run_to_end();
  EXPECT_THAT(heard.answer(id).degraded, IsEmpty());
  EXPECT_EQ(passed_over(), 0);
}

}  // namespace
}  // namespace braid::serve
