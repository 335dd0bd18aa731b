#include <gmock/gmock.h>

#include "realtime_fixture.h"

namespace braid::openai {
namespace {

using testing::ElementsAre;

std::string item(std::string_view fields) {
  return R"({"type":"conversation.item.create","event_id":"e1","item":{"type":"message",)" +
         std::string(fields) + "}}";
}

TEST_F(RealtimeTest, ASessionBeginsWithItsSettings) {
  conversation->begin();
  ASSERT_EQ(host.sent.size(), 1U);
  EXPECT_EQ(host.sent[0].at("type"), "session.created");
  const auto& session = host.sent[0].at("session").as_object();
  EXPECT_EQ(session.at("id"), "sess_1");
  EXPECT_EQ(session.at("audio").at("input").at("turn_detection").at("type"), "server_vad");
  EXPECT_EQ(session.at("output_modalities").at(0), "text");
}

TEST_F(RealtimeTest, ItemsAreAddedAndDone) {
  EXPECT_THAT(types(item(R"("id":"a","role":"user","content":[{"type":"input_text","text":"Hi"}])")),
              ElementsAre("conversation.item.added", "conversation.item.done"));
  take(item(R"("id":"b","role":"assistant","content":[{"type":"output_text","text":"Hello"}])"));
  EXPECT_EQ(host.sent.back().at("previous_item_id"), "a");
  EXPECT_EQ(host.sent.back().at("item").at("content").at(0).at("text"), "Hello");
}

TEST_F(RealtimeTest, OnlyTheLastTextIsTheQuestion) {
  say("The door is open.");
  EXPECT_TRUE(host.did.empty());
  take(item(R"("role":"system","content":[{"type":"input_text","text":"It is\nnoon."}])"));
  say("What is open?");
  take(kCreate);
  EXPECT_THAT(host.did,
              ElementsAre("text The door is open.", "text system: It is noon.", "ask What is open?"));
}

TEST_F(RealtimeTest, ItemsGoWhereTheyAreToGo) {
  take(item(R"("id":"a","role":"user","content":[{"type":"input_text","text":"1"}])"));
  take(item(R"("id":"c","role":"user","content":[{"type":"input_text","text":"3"}])"));
  take(
      R"({"type":"conversation.item.create","previous_item_id":"a","item":{"id":"b","type":"message","role":"user",)"
      R"("content":[{"type":"input_text","text":"2"}]}})");
  EXPECT_EQ(host.sent.back().at("previous_item_id"), "a");
  take(R"({"type":"conversation.item.create","previous_item_id":"root","item":{"id":"z","type":"message",)"
       R"("role":"user","content":[{"type":"input_text","text":"0"}]}})");
  EXPECT_TRUE(host.sent.back().at("previous_item_id").is_null());
  EXPECT_EQ(code(R"({"type":"conversation.item.create","previous_item_id":"nobody","item":{"type":"message",)"
                 R"("role":"user","content":[]}})"),
            "item_not_found");
}

TEST_F(RealtimeTest, ItemsAreRetrievedAndDeleted) {
  take(item(R"("id":"a","role":"user","content":[{"type":"input_text","text":"Hi"}])"));
  EXPECT_THAT(types(R"({"type":"conversation.item.retrieve","item_id":"a"})"),
              ElementsAre("conversation.item.retrieved"));
  EXPECT_THAT(types(R"({"type":"conversation.item.delete","item_id":"a"})"),
              ElementsAre("conversation.item.deleted"));
  EXPECT_EQ(code(R"({"type":"conversation.item.retrieve","item_id":"a"})"), "item_not_found");
  EXPECT_EQ(code(R"({"type":"conversation.item.delete","item_id":"a"})"), "item_not_found");
  take(kCreate);
  EXPECT_EQ(host.asked.back().text, "") << "a deleted text was asked";
}

TEST_F(RealtimeTest, ATextHasNoAudioToTruncate) {
  take(item(R"("id":"a","role":"assistant","content":[{"type":"output_text","text":"Hi"}])"));
  EXPECT_EQ(
      code(R"({"type":"conversation.item.truncate","item_id":"a","content_index":0,"audio_end_ms":10})"),
      "unsupported_value");
  EXPECT_EQ(
      code(R"({"type":"conversation.item.truncate","item_id":"x","content_index":0,"audio_end_ms":10})"),
      "item_not_found");
}

TEST_F(RealtimeTest, AnIdIsTakenOnce) {
  const std::string twice = item(R"("id":"a","role":"user","content":[{"type":"input_text","text":"Hi"}])");
  take(twice);
  EXPECT_EQ(code(twice), "invalid_value");
}

TEST_F(RealtimeTest, TheOldestItemsAreForgotten) {
  limits.items = 3;
  restart();
  for (const char* id : {"a", "b", "c", "d"})
    take(item(R"("role":"user","content":[{"type":"input_text","text":"Hi"}],"id":")" + std::string(id) +
              "\""));
  EXPECT_EQ(code(R"({"type":"conversation.item.retrieve","item_id":"a"})"), "item_not_found");
  EXPECT_THAT(types(R"({"type":"conversation.item.retrieve","item_id":"b"})"),
              ElementsAre("conversation.item.retrieved"));
}

TEST_F(RealtimeTest, MediaOfAnItemArePerceivedInOrder) {
  const std::string png = encode_base64(std::string("\x89PNG\r\n\x1A\n", 8) + "rest");
  const std::string sound = encode_base64(std::string(480, 'x'));
  take(item(R"("id":"a","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,)" +
            png + R"("},{"type":"input_audio","audio":")" + sound +
            R"("},{"type":"input_text","text":"What?"}])"));
  take(kCreate);
  EXPECT_THAT(host.did, ElementsAre("picture 12 e1", "sound a 480", "ask What?"));
}

TEST_F(RealtimeTest, SoundIsCommittedByHand) {
  take(
      R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})");
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.commit"})"), "input_audio_buffer_commit_empty");
  append_ms(90);
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.commit"})"), "input_audio_buffer_commit_empty");
  append_ms(20);
  EXPECT_THAT(
      types(R"({"type":"input_audio_buffer.commit"})"),
      ElementsAre("input_audio_buffer.committed", "conversation.item.added", "conversation.item.done"));
  const auto id = host.sent.back().at("item").at("id").as_string();
  EXPECT_EQ(host.did.back(), "commit " + std::string(id));
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.commit"})"), "input_audio_buffer_commit_empty");
  append_ms(200);
  EXPECT_THAT(types(R"({"type":"input_audio_buffer.clear"})"), ElementsAre("input_audio_buffer.cleared"));
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.commit"})"), "input_audio_buffer_commit_empty");
}

TEST_F(RealtimeTest, TheBufferIsBounded) {
  limits.buffer = std::chrono::seconds(1);
  restart();
  take(
      R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})");
  append_ms(900);
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.append","audio":")" +
                 encode_base64(std::string(48U * 200, 'x')) + "\"}"),
            "input_audio_buffer_full");
}

TEST_F(RealtimeTest, ATurnIsCommittedAndAnswered) {
  append_ms(3000);
  conversation->speech_started(Milliseconds(700));
  EXPECT_EQ(host.sent.back().at("audio_start_ms"), 700);
  const std::size_t before = host.sent.size();
  const std::string id = conversation->speech_stopped(Milliseconds(2900));
  EXPECT_THAT(types_since(before),
              ElementsAre("input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
                          "conversation.item.added", "conversation.item.done", "response.created"));
  EXPECT_EQ(host.sent[before].at("audio_end_ms"), 2900);
  EXPECT_EQ(host.sent[before - 1].at("item_id").as_string(), id);
  EXPECT_EQ(host.asked.back().text, "") << "the utterance is the question";
}

TEST_F(RealtimeTest, WhoSpeaksInterrupts) {
  take(kCreate);
  conversation->response_text(asked_response(), "Well,");
  conversation->speech_started(Milliseconds(100));
  EXPECT_EQ(host.did.back(), "cancel " + asked_response() + " after 5");
  conversation->speech_stopped(Milliseconds(900));
  const std::size_t before = host.sent.size();
  end(RealtimeEnd::Kind::kCancelled);
  EXPECT_EQ(types_since(before).back(), "response.created") << "the turn was not answered";
  const auto done = host.sent[host.sent.size() - 2];
  EXPECT_EQ(done.at("response").at("status_details").at("reason"), "turn_detected");
}

TEST_F(RealtimeTest, WhatIsHeldGoesOnWhereItPaused) {
  take(kCreate);
  conversation->response_text(asked_response(), "One, ");
  std::size_t before = host.sent.size();
  EXPECT_TRUE(conversation->voice_noticed(Milliseconds(100)));
  conversation->response_text(asked_response(), "two, ");
  conversation->response_text(asked_response(), "three.");
  end(RealtimeEnd::Kind::kCompleted);
  EXPECT_THAT(types_since(before), ElementsAre("braid.delivery.paused"));
  before = host.sent.size();
  conversation->voice_gone(Milliseconds(700), true);
  const auto types = types_since(before);
  ASSERT_GT(types.size(), 3U);
  EXPECT_EQ(types[0], "braid.delivery.resumed");
  EXPECT_EQ(host.sent[before].at("reason"), "backchannel");
  EXPECT_EQ(host.sent[before + 1].at("delta"), "two, three.");
  EXPECT_EQ(types.back(), "response.done");
  EXPECT_EQ(host.sent.back().at("response").at("status"), "completed");
  EXPECT_EQ(host.sent.back().at("response").at("output").at(0).at("content").at(0).at("text"),
            "One, two, three.");
}

TEST_F(RealtimeTest, AnAnswerIsCutWhereItsDeliveryPaused) {
  take(kCreate);
  conversation->response_text(asked_response(), "One, ");
  EXPECT_TRUE(conversation->voice_noticed(Milliseconds(100)));
  conversation->response_text(asked_response(), "two");
  conversation->speech_started(Milliseconds(80));
  EXPECT_EQ(host.did.back(), "cancel " + asked_response() + " after 5");
  conversation->response_text(asked_response(), ", three");
  conversation->speech_stopped(Milliseconds(900));
  end(RealtimeEnd::Kind::kCancelled);
  const auto done = host.sent[host.sent.size() - 2].at("response").as_object();
  EXPECT_EQ(done.at("status"), "cancelled");
  EXPECT_EQ(done.at("output").at(0).at("content").at(0).at("text"), "One, ");
}

TEST_F(RealtimeTest, WhatWasMadeAndNotDeliveredIsCancelledToo) {
  take(kCreate);
  conversation->voice_noticed(Milliseconds(100));
  conversation->response_text(asked_response(), "two");
  end(RealtimeEnd::Kind::kCompleted);
  conversation->speech_started(Milliseconds(80));
  EXPECT_EQ(host.sent.back().at("type"), "response.done");
  EXPECT_EQ(host.sent.back().at("response").at("status"), "cancelled");
  EXPECT_TRUE(host.sent.back().at("response").at("output").as_array().empty());
  EXPECT_EQ(conversation->open_response(), "");
}

TEST_F(RealtimeTest, NothingIsHeldThatMayNotBeInterrupted) {
  EXPECT_FALSE(conversation->voice_noticed(Milliseconds(100))) << "there is no answer";
  take(R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":)"
       R"({"interrupt_response":false}}}}})");
  take(kCreate);
  EXPECT_FALSE(conversation->voice_noticed(Milliseconds(100)));
  const std::size_t before = host.sent.size();
  conversation->response_text(asked_response(), "One");
  EXPECT_EQ(types_since(before).back(), "response.output_text.delta");
}

TEST_F(RealtimeTest, ATurnNeedNotInterruptNorBeAnswered) {
  take(R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":)"
       R"({"type":"server_vad","create_response":false,"interrupt_response":false}}}}})");
  take(kCreate);
  const std::string first = asked_response();
  conversation->speech_started(Milliseconds(100));
  conversation->speech_stopped(Milliseconds(900));
  EXPECT_EQ(conversation->open_response(), first);
  EXPECT_EQ(host.asked.size(), 1U);
}

TEST_F(RealtimeTest, WordsFollowTheirItem) {
  const std::string id = conversation->speech_stopped(Milliseconds(900));
  const std::size_t before = host.sent.size();
  conversation->transcribed(id, "hello", {5, 2, 0, 0, 0, 0});
  EXPECT_THAT(types_since(before), ElementsAre("conversation.item.input_audio_transcription.delta",
                                               "conversation.item.input_audio_transcription.completed"));
  const auto item = take(R"({"type":"conversation.item.retrieve","item_id":")" + id + "\"}");
  EXPECT_EQ(item[0].at("item").at("content").at(0).at("transcript"), "hello");
  conversation->transcription_failed(id, {ErrorCode::kFull, "later", true});
  EXPECT_EQ(host.sent.back().at("type"), "conversation.item.input_audio_transcription.failed");
}

TEST_F(RealtimeTest, WordsThatAreStillBeingSaidAreToldOnceTheyAreStable) {
  conversation->speech_started(Milliseconds(100));
  const std::string id = conversation->speaking();
  const std::size_t before = host.sent.size();
  for (const char* heard : {"the", "the code", "the code is for", "the code is four"})
    conversation->partly_transcribed(id, heard);
  std::vector<std::string> told;
  for (std::size_t i = before; i < host.sent.size(); ++i)
    if (host.sent[i].contains("delta")) told.emplace_back(host.sent[i].at("delta").as_string());
  EXPECT_THAT(told, ElementsAre("the", " code", " is"));
  EXPECT_EQ(host.sent[host.sent.size() - 2].at("stable"), "the code is");
  EXPECT_EQ(conversation->speech_stopped(Milliseconds(900)), id);
  const std::size_t over = host.sent.size();
  conversation->partly_transcribed(id, "the code is four seven");
  EXPECT_EQ(host.sent.size(), over) << "the turn is over";
  conversation->transcribed(id, "the code is four", {});
  EXPECT_EQ(host.sent[host.sent.size() - 2].at("delta"), " four");
  EXPECT_EQ(host.sent.back().at("transcript"), "the code is four");
}

TEST_F(RealtimeTest, OwnEventsAreTaken) {
  const std::string jpeg = encode_base64(std::string("\xFF\xD8\xFF") + "0123456789");
  EXPECT_TRUE(
      take(R"({"type":"input_video_buffer.append","event_id":"v","capture_ts_us":5,"image":")" + jpeg + "\"}")
          .empty());
  EXPECT_EQ(host.did.back(), "picture 13 v");
  EXPECT_TRUE(
      take(R"({"type":"input_sensor.append","source":"press","values":{"t":81.40,"on":true}})").empty());
  EXPECT_EQ(host.did.back(), "reading press t=81.40");
  const auto pong = take(R"({"type":"clock.ping","t1_us":42})");
  EXPECT_EQ(pong[0].at("type"), "clock.pong");
  EXPECT_EQ(pong[0].at("t1_us"), 42);
  EXPECT_EQ(pong[0].at("t3_us"), 1'000'000);
  EXPECT_TRUE(host.compared.empty()) << "the pong's arrival isn't known yet";
  take(R"({"type":"clock.ping","t1_us":50,"pong_us":47,"sources":["press"]})");
  ASSERT_EQ(host.compared.size(), 1U);
  EXPECT_EQ(host.compared[0].t1_us, 42);
  EXPECT_EQ(host.compared[0].t3_us, 1'000'000);
  EXPECT_EQ(host.compared[0].t4_us, 47);
  EXPECT_THAT(host.compared[0].sources, ElementsAre("press", ""));
  EXPECT_EQ(code(R"({"type":"clock.ping","t1_us":50,"sources":[3]})"), "invalid_type");
  EXPECT_EQ(code(R"({"type":"clock.ping","t1_us":4000000000000001})"), "integer_above_max_value");
  EXPECT_EQ(code(R"({"type":"clock.ping","t1_us":1,"pong_us":-4000000000000001})"),
            "integer_below_min_value");
  conversation->media_failed("v", {ErrorCode::kBadInput, "no picture"});
  EXPECT_EQ(host.sent.back().at("error").at("event_id"), "v");
}

TEST_F(RealtimeTest, MistakesCostTheirEventAlone) {
  EXPECT_EQ(code("{nonsense"), "invalid_json");
  EXPECT_THAT(std::string(host.sent.back().at("error").at("message").as_string()),
              testing::StartsWith("The event isn't JSON"));
  EXPECT_EQ(code("[]"), "invalid_type");
  EXPECT_EQ(code(R"({"type":"clock.ping","type":"response.create","t1_us":1})"), "invalid_value")
      << "one of two types would be chosen";
  EXPECT_EQ(code(R"({"type":"clock.ping","t1_us":1,"t2_us":2})"), "unknown_parameter");
  EXPECT_EQ(code(R"({"type":"input_sensor.append","source":"a","values":{"b":1},"at":1})"),
            "unknown_parameter");
  EXPECT_EQ(code(R"({"type":"input_video_buffer.append","picture":"AAAA"})"), "unknown_parameter");
  EXPECT_EQ(code(R"({"type":"no.such.event","event_id":"x"})"), "invalid_value");
  EXPECT_EQ(host.sent.back().at("error").at("event_id"), "x");
  EXPECT_EQ(code(R"({"event_id":"x"})"), "missing_required_parameter");
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.append","audio":"!"})"), "invalid_value");
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.append","audio":"AAA="})"), "no error");
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.append","audio":"AA=="})"), "invalid_value")
      << "half a sample";
  EXPECT_EQ(code(R"({"type":"input_video_buffer.append","image":"AAAA"})"), "invalid_value");
  EXPECT_EQ(code(item(R"("role":"robot","content":[])")), "invalid_value");
  EXPECT_EQ(code(R"({"type":"conversation.item.create","item":{"type":"function_call"}})"),
            "unsupported_value");
  EXPECT_EQ(code(R"({"type":"output_audio_buffer.clear"})"), "unsupported_value");
  EXPECT_THAT(types(kCreate), ElementsAre("response.created"));
}

TEST_F(RealtimeTest, AModelWithoutEarsHearsNothing) {
  abilities.hears = false;
  abilities.sees = false;
  restart();
  EXPECT_FALSE(conversation->config().turns);
  EXPECT_EQ(code(R"({"type":"input_audio_buffer.append","audio":"AAA="})"), "unsupported_value");
  EXPECT_EQ(code(R"({"type":"input_video_buffer.append","image":"AAAA"})"), "unsupported_value");
}

}  // namespace
}  // namespace braid::openai
