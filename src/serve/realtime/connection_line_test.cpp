#include "realtime/connection.h"

#include <gmock/gmock.h>

#include "realtime/connection_fixture.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;

TEST_F(RealtimeConnectionTest, ALaterLineTakesTheSessionOverWithTheAnswerThatIsBeingMade) {
  model.step_cost = Milliseconds(100);
  open();
  ask("count");
  sleep_ms(600);
  const auto session = last("session.created").at("session").at("id");
  ASSERT_GT(count("response.output_text.delta"), 1U);
  const auto first = running;
  running = accepted();
  Line later;
  connection->begin(std::make_unique<LineWire>(later, clock), running);
  EXPECT_EQ(line.closed, 4001);
  EXPECT_EQ(last("error").at("error").at("code"), "session_taken_over");
  EXPECT_EQ(first->state(), LineState::kClosing);
  connection->message(first, R"({"type":"nonsense"})", true);
  connection->closed(first, true);
  sleep_ms(5000);
  line = std::move(later);
  EXPECT_EQ(types().front(), "session.created");
  EXPECT_EQ(last("session.created").at("session").at("id"), session);
  EXPECT_EQ(count("error"), 0U);
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9");
  std::string text(last("response.content_part.added").at("part").at("text").as_string());
  for (const auto& received : line.received)
    if (received.event.at("type").as_string() == "response.output_text.delta")
      text += received.event.at("delta").as_string();
  EXPECT_EQ(text, answer());
  EXPECT_TRUE(ended.empty());
  EXPECT_EQ(illegal, 0U);
  connection->closed(running);
  Line late;
  connection->begin(std::make_unique<LineWire>(late, clock), accepted());
  EXPECT_EQ(late.closed, 1013);
  EXPECT_TRUE(late.received.empty());
}

TEST_F(RealtimeConnectionTest, WhoseSessionIsDeletedIsToldAndLeavesNothing) {
  model.step_cost = Milliseconds(50);
  max_sessions = 1;
  open();
  ask("count");
  sleep_ms(300);
  EXPECT_GT(made.probe->used_cells(), 0);
  const std::string id(last("session.created").at("session").at("id").as_string());
  EXPECT_TRUE(sessions->end(id, ""));
  EXPECT_EQ(last("error").at("error").at("code"), "session_deleted");
  EXPECT_EQ(line.closed, 1000);
  EXPECT_EQ(running->state(), LineState::kClosing);
  EXPECT_EQ(connection->live(), nullptr);
  EXPECT_THAT(ended, ElementsAre(id));
  const auto early = sessions->create({}, {}, "");
  EXPECT_TRUE(!early && early.error().code == ErrorCode::kFull) << "its threads have not ended";
  sleep_ms(500);
  EXPECT_EQ(made.probe->used_cells(), 0);
  EXPECT_EQ(made.probe->sequences(), 0);
  const std::size_t before = line.received.size();
  ask("count");
  connection->closed(running);
  EXPECT_EQ(line.received.size(), before);
  EXPECT_FALSE(sessions->end(id, ""));
  connect();
  EXPECT_EQ(types().front(), "session.created");
  EXPECT_EQ(illegal, 0U);
}

TEST_F(RealtimeConnectionTest, ADisconnectFreesAllWithinAStep) {
  model.step_cost = Milliseconds(50);
  model.rules = {{"", "1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3"}};
  open();
  ask("count");
  sleep_ms(400);
  EXPECT_GT(made.probe->used_cells(), 0);
  connection->closed(running);
  sleep_ms(150);
  EXPECT_EQ(made.probe->used_cells(), 0);
  EXPECT_EQ(made.probe->sequences(), 0);
  EXPECT_EQ(sessions->count(), 0U);
}

TEST_F(RealtimeConnectionTest, WhoSendsTooMuchIsToldAndThenEnded) {
  bounds.events_per_second = 10;
  bounds.events_burst = 5;
  bounds.refused_events = 20;
  open();
  for (int i = 0; i < 10; ++i) send(R"({"type":"clock.ping","t1_us":1})");
  EXPECT_EQ(count("clock.pong"), 5U);
  EXPECT_EQ(last("error").at("error").at("type"), "rate_limit_error");
  EXPECT_EQ(line.closed, 0);
  sleep_ms(500);
  send(R"({"type":"clock.ping","t1_us":1})");
  EXPECT_EQ(types().back(), "clock.pong");
  for (int i = 0; i < 30; ++i) send(R"({"type":"clock.ping","t1_us":1})");
  EXPECT_EQ(line.closed, 1008);
}

TEST_F(RealtimeConnectionTest, WhoChangesItsWindowAgainAndAgainBeginsFewSessions) {
  bounds.sessions_per_second = 0.5;
  bounds.sessions_burst = 4;
  open();
  const auto update = [&](int window_s) {
    send(R"({"type":"session.update","session":{"type":"realtime","braid":{"window_s":)" +
         std::to_string(window_s) + "}}}");
  };
  for (int i = 0; i < 100; ++i) update(2 + i);
  EXPECT_EQ(count("session.updated"), 4U);
  EXPECT_EQ(last("error").at("error").at("type"), "rate_limit_error");
  sleep_ms(2100);
  update(900);
  EXPECT_EQ(types().back(), "session.updated");
  ask("count");
  sleep_ms(1500);
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9") << "its own session is none the worse";
}

TEST_F(RealtimeConnectionTest, AStoppingServerLetsTheAnswerEnd) {
  open();
  ask("count");
  sleep_ms(20);
  connection->stopping();
  EXPECT_EQ(line.closed, 0);
  sleep_ms(3000);
  EXPECT_EQ(status(), "completed");
  EXPECT_EQ(line.closed, 1001);
}

TEST_F(RealtimeConnectionTest, AnEventInAStateThatDoesNotKnowItIsAnsweredAndCounted) {
  open();
  running = std::make_shared<Lifecycle>(illegal);
  running->take(LineEvent::kAsk);  // and nobody accepted it
  connection->begin(std::make_unique<LineWire>(line, clock), running);
  send(R"({"type":"input_audio_buffer.clear"})");
  EXPECT_EQ(illegal, 1U);
  EXPECT_EQ(count("input_audio_buffer.cleared"), 0U);
  EXPECT_NE(std::string(last("error").at("error").at("message").as_string()).find("AUTH_PENDING"),
            std::string::npos);
  running->take(LineEvent::kAccept);
  send(R"({"type":"input_audio_buffer.clear"})");
  EXPECT_EQ(count("input_audio_buffer.cleared"), 1U);
}

TEST_F(RealtimeConnectionTest, NothingIsTakenFromALineThatCloses) {
  open();
  running->take(LineEvent::kStop);
  const std::size_t before = line.received.size();
  send(R"({"type":"input_audio_buffer.clear"})");
  EXPECT_EQ(line.received.size(), before);
  EXPECT_EQ(illegal, 0U);
}

}  // namespace
}  // namespace braid::serve
