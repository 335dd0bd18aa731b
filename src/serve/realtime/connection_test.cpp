#include "realtime/connection.h"

#include <gmock/gmock.h>

#include "realtime/connection_fixture.h"
#include "realtime/sample_for_tests.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(RealtimeConnectionTest, ATextIsAnswered) {
  open();
  ask("count");
  sleep_ms(2000);
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(count("response.done"), 1U);
  EXPECT_EQ(types().back(), "braid.stages");
  const auto& braid = last("braid.stages").at("braid").as_object();
  EXPECT_EQ(braid.at("verdict"), "none");
  EXPECT_GT(braid.at("ttft_ms").to_number<double>(), 0);
}

TEST_F(RealtimeConnectionTest, EarlierTextsAreOnTheTimeline) {
  open();
  ask("count");
  sleep_ms(2000);
  send(R"({"type":"conversation.item.create","item":{"type":"message","role":"user","content":[)"
       R"({"type":"input_text","text":"The door is open."}]}})");
  ask("What have you read?");
  sleep_ms(2000);
  EXPECT_THAT(answer(), HasSubstr("The door is open."));
}

TEST_F(RealtimeConnectionTest, ATurnIsHeardCommittedAndAnswered) {
  open();
  speak(400, false);
  speak(1000);
  speak(700, false);
  sleep_ms(1500);
  EXPECT_EQ(count("input_audio_buffer.speech_started"), 1U);
  EXPECT_EQ(count("input_audio_buffer.committed"), 1U);
  EXPECT_THAT(answer(), StartsWith("I hear a tone of "));
  const auto start = last("input_audio_buffer.speech_started").at("audio_start_ms").as_int64();
  const auto stop = last("input_audio_buffer.speech_stopped").at("audio_end_ms").as_int64();
  EXPECT_NEAR(static_cast<double>(start), 100, 40);
  EXPECT_NEAR(static_cast<double>(stop), 1900, 40);
}

TEST_F(RealtimeConnectionTest, TheStartIsToldWhileSpeechGoesOn) {
  open();
  speak(400, false);
  speak(300);
  EXPECT_EQ(count("input_audio_buffer.speech_started"), 1U);
  EXPECT_EQ(count("input_audio_buffer.committed"), 0U);
}

TEST_F(RealtimeConnectionTest, WhoSpeaksCutsTheAnswerShort) {
  model.step_cost = Milliseconds(100);
  model.rules = {{"count", "1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3"}, {"", "I hear {heard}."}};
  open();
  ask("count");
  sleep_ms(500);
  speak(1000);
  ASSERT_EQ(count("response.done"), 1U);
  EXPECT_EQ(status(), "cancelled");
  EXPECT_EQ(last("response.done").at("response").at("status_details").at("reason"), "turn_detected");
  speak(700, false);
  sleep_ms(8000);
  EXPECT_EQ(count("response.done"), 2U);
  EXPECT_THAT(answer(), StartsWith("I hear a tone of "));
}

TEST_F(RealtimeConnectionTest, ABackchannelHoldsTheAnswerForAMoment) {
  model.step_cost = Milliseconds(100);
  open();
  ask("count");
  sleep_ms(600);
  speak(300);
  EXPECT_EQ(types().back(), "braid.delivery.paused");
  speak(500, false);
  sleep_ms(5000);
  EXPECT_EQ(count("braid.delivery.paused"), 1U);
  EXPECT_EQ(last("braid.delivery.resumed").at("reason"), "backchannel");
  EXPECT_EQ(count("input_audio_buffer.speech_started"), 0U);
  EXPECT_EQ(count("response.done"), 1U);
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(RealtimeConnectionTest, AnAnswerIsRememberedAsFarAsItWasDelivered) {
  model.step_cost = Milliseconds(100);
  model.rules = {{"count", "1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3"},
                 {"said", "I said {said}."},
                 {"", "I hear {heard}."}};
  open();
  ask("count");
  sleep_ms(1000);
  speak(1000);
  ASSERT_EQ(status(), "cancelled");
  const std::string delivered = answer();
  EXPECT_GT(delivered.size(), 2U);
  speak(700, false);
  sleep_ms(8000);
  ask("What was said?");
  sleep_ms(8000);
  EXPECT_THAT(answer(), StartsWith("I said " + delivered + ", I hear"));
}

TEST_F(RealtimeConnectionTest, SoundThatStopsComingHoldsNothingForLong) {
  model.step_cost = Milliseconds(100);
  open();
  ask("count");
  sleep_ms(600);
  speak(100);
  EXPECT_EQ(count("braid.delivery.paused"), 1U);
  sleep_ms(5000);
  EXPECT_EQ(last("braid.delivery.resumed").at("reason"), "noise");
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9");
}

TEST_F(RealtimeConnectionTest, ATurnEndsWhenSoundStopsComing) {
  open();
  speak(1000);
  EXPECT_EQ(count("input_audio_buffer.speech_stopped"), 0U);
  sleep_ms(3000);
  EXPECT_EQ(count("input_audio_buffer.speech_stopped"), 1U);
  EXPECT_THAT(answer(), StartsWith("I hear a tone of "));
}

TEST_F(RealtimeConnectionTest, TheClientCommits) {
  open();
  send(
      R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})");
  speak(1000);
  sleep_ms(1000);
  EXPECT_EQ(count("input_audio_buffer.speech_started"), 0U);
  send(R"({"type":"input_audio_buffer.commit"})");
  send(R"({"type":"response.create"})");
  sleep_ms(1500);
  EXPECT_THAT(answer(), StartsWith("I hear a tone of "));
}

TEST_F(RealtimeConnectionTest, WhatIsClearedIsNotHeard) {
  open();
  send(
      R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})");
  speak(1000);
  send(R"({"type":"input_audio_buffer.clear"})");
  speak(200, false);
  send(R"({"type":"input_audio_buffer.commit"})");
  send(R"({"type":"response.create"})");
  sleep_ms(1500);
  EXPECT_THAT(answer(), Not(HasSubstr("tone")));
}

TEST_F(RealtimeConnectionTest, SoundSentAtOnceIsHeardToo) {
  open();
  std::string bytes(48U * 3000, '\0');
  for (std::size_t i = 0; i < 24'000; ++i) {
    const auto value =
        static_cast<std::int16_t>(9000 * std::sin(2 * 3.14159265 * 400 * static_cast<double>(i) / 24'000));
    bytes[48'000 + 2 * i] = static_cast<char>(value & 0xFF);
    bytes[48'001 + 2 * i] = static_cast<char>(value >> 8 & 0xFF);
  }
  send(R"({"type":"input_audio_buffer.append","audio":")" + openai::encode_base64(bytes) + "\"}");
  sleep_ms(6000);
  EXPECT_THAT(answer(), StartsWith("I hear a tone of "));
}

TEST_F(RealtimeConnectionTest, ReadingsReadAsThoseOfALog) {
  open();
  send(R"({"type":"input_sensor.append","source":"press_1","values":{"temperature":81.4,"on":true}})");
  ask("What have you read?");
  sleep_ms(1500);
  EXPECT_THAT(answer(), HasSubstr("press_1 temperature=81.4 on=true"));
}

TEST_F(RealtimeConnectionTest, EachCamerasPicturesAreComparedWithItsOwn) {
  open();
  std::vector<std::string> kept;
  connection->live()->listen([&](const deliver::Event& event) {
    const auto* perceived = std::get_if<deliver::Perceived>(&event);
    if (perceived != nullptr && perceived->kept) kept.push_back(perceived->reason);
  });
  const std::string still = openai::encode_base64(read_sample("still1.png"));
  const std::string other = openai::encode_base64(read_sample("still2.jpg"));
  const auto show_both = [&](int times) {
    for (int i = 0; i < times; ++i) {
      send(R"({"type":"input_video_buffer.append","source":"door","image":")" + still + "\"}");
      sleep_ms(100);
      send(R"({"type":"input_video_buffer.append","source":"yard","image":")" + other + "\"}");
      sleep_ms(100);
    }
  };
  show_both(10);
  EXPECT_THAT(kept, ElementsAre("new", "new"));
  show_both(5);
  EXPECT_THAT(kept, ElementsAre("new", "new", "heartbeat", "heartbeat"));
}

TEST_F(RealtimeConnectionTest, AResponseIsASpanOfTheTraceOfItsConnection) {
  std::vector<net::ClientRequest> posts;
  Metrics metrics({"1", "nano", "CPU"});
  Tracing tracing(
      {.otlp_url = "http://collector"}, clock, "1",
      [&](net::ClientRequest post, const net::Client::Done&) { posts.push_back(std::move(post)); });
  observers = {&metrics, &tracing};
  client.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  open();
  ask("count");
  sleep_ms(5000);
  ASSERT_EQ(posts.size(), 1U);
  const auto spans = boost::json::parse(posts[0].body).at_pointer("/resourceSpans/0/scopeSpans/0/spans");
  const auto& span = spans.at(0);
  EXPECT_EQ(span.at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span.at("parentSpanId"), "00f067aa0ba902b7");
  const std::string printed = boost::json::serialize(span.at("attributes"));
  EXPECT_THAT(printed, HasSubstr(last("response.done").at("response").at("id").as_string().c_str()));
  EXPECT_THAT(printed, HasSubstr(connection->live()->id()));
  EXPECT_THAT(metrics.text({}), Not(HasSubstr("finished_reason=\"stop\",model_name=\"nano\"} 1\n")))
      << "the session counts its answers itself";
  end();
}

TEST_F(RealtimeConnectionTest, AnAnswerCutShortByItsClientsEndIsASpanToo) {
  std::vector<net::ClientRequest> posts;
  Tracing tracing(
      {.otlp_url = "http://collector"}, clock, "1",
      [&](net::ClientRequest post, const net::Client::Done&) { posts.push_back(std::move(post)); });
  observers.tracing = &tracing;
  model.step_cost = Milliseconds(100);
  open();
  ask("count");
  sleep_ms(300);
  end();
  sleep_ms(5000);
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_THAT(posts[0].body, HasSubstr("\"cancelled\""));
}

TEST_F(RealtimeConnectionTest, SettingsOfTheSessionComeFirst) {
  max_sessions = 1;  // the one that takes its place needs none of its own
  open();
  const std::string before(last("session.created").at("session").at("id").as_string());
  send(R"({"type":"session.update","session":{"type":"realtime","braid":{"window_s":5,"novelty":false}}})");
  EXPECT_NE(last("session.updated").at("session").at("id").as_string(), before);
  EXPECT_EQ(sessions->count(), 1U);
  ask("count");
  sleep_ms(1500);
  EXPECT_EQ(answer(), "1 2 3 4 5 6 7 8 9");
  send(R"({"type":"session.update","session":{"type":"realtime","braid":{"window_s":50}}})");
  EXPECT_EQ(types().back(), "error");
  send(R"({"type":"session.update","session":{"type":"realtime","braid":{"deadline_ms":500}}})");
  EXPECT_EQ(types().back(), "session.updated");
}

TEST_F(RealtimeConnectionTest, ADeadlineIsJudged) {
  open();
  send(R"({"type":"session.update","session":{"type":"realtime","braid":{"deadline_ms":10000}}})");
  ask("count");
  sleep_ms(2000);
  EXPECT_EQ(last("braid.stages").at("braid").at("verdict"), "met");
}

TEST_F(RealtimeConnectionTest, TheClockIsToldInFourStamps) {
  open();
  sleep_ms(250);
  send(R"({"type":"clock.ping","t1_us":99})");
  EXPECT_EQ(last("clock.pong").at("t1_us"), 99);
  EXPECT_EQ(last("clock.pong").at("t2_us"), 250'000);
  EXPECT_EQ(last("clock.pong").at("t3_us"), 250'000);
}

}  // namespace
}  // namespace braid::serve
