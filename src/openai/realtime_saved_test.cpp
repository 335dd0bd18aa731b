#include <functional>

#include "realtime_fixture.h"

namespace braid::openai {
namespace {

class RealtimeSavedTest : public RealtimeTest {
 protected:
  /// As another process would find it.
  void save_and_restore() {
    const std::string json = print_saved(conversation->save());
    auto saved = parse_saved(json, abilities, limits);
    ASSERT_TRUE(saved) << saved.error().message << json;
    host = RecordingHost();
    conversation.emplace(host, std::move(*saved), abilities, 8, limits);
  }
  boost::json::object settings() {
    conversation->begin();
    return host.sent.back().at("session").as_object();
  }
};

TEST_F(RealtimeSavedTest, SettingsComeBack) {
  take(
      R"({"type":"session.update","session":{"type":"realtime","instructions":"Be brief.","max_output_tokens":12,
    "audio":{"input":{"format":{"type":"audio/pcmu"},"turn_detection":{"type":"server_vad","threshold":0.7,
    "silence_duration_ms":700,"create_response":false},"transcription":{"model":"whisper-1","language":"de"}},
    "output":{"voice":"marin","speed":1.25}},"braid":{"window_s":7.5,"novelty":false,"deadline_ms":800}}})");
  const auto before = settings();
  EXPECT_EQ(before.at("instructions"), "Be brief.");
  save_and_restore();
  EXPECT_EQ(settings(), before);
  take(
      R"({"type":"session.update","session":{"type":"realtime","audio":{"input":{"turn_detection":null}}}})");
  save_and_restore();
  EXPECT_TRUE(settings().at("audio").at("input").at("turn_detection").is_null());
}

TEST_F(RealtimeSavedTest, AModelOfAnyNameComesBack) {
  const std::string as(255, 'a');
  EXPECT_EQ(to_model_name("x"), "x");
  EXPECT_EQ(to_model_name(as + "bc"), as + "b");
  EXPECT_EQ(to_model_name(as + "\xC3\xBC"), as);
  EXPECT_EQ(to_model_name(as.substr(2) + "\xF0\x9F\x98\x80"), as.substr(2));
  for (const std::string& name :
       {as + "\xC3\xBC", as + "\xC3", std::string(256, '\xFF'), std::string(300, '\x80')}) {
    SavedConversation start;
    start.config.model = to_model_name(name);
    conversation.emplace(host, start, abilities, 7, limits);
    save_and_restore();
    EXPECT_EQ(settings().at("model").as_string(), start.config.model);
  }
}

TEST_F(RealtimeSavedTest, ItemsAndTheNextQuestionComeBack) {
  say("What is the code?");
  take(R"({"type":"response.create"})");
  conversation->response_begun(asked_response());
  conversation->response_text(asked_response(), "It is 4711.");
  end(RealtimeEnd::Kind::kCompleted);
  append_ms(200);
  take(R"({"type":"input_audio_buffer.commit"})");
  say("And now?");
  save_and_restore();
  const auto saved = conversation->save();
  ASSERT_EQ(saved.items.size(), 4U);
  EXPECT_EQ(saved.items[0].text(), "What is the code?");
  EXPECT_EQ(saved.items[1].text(), "It is 4711.");
  EXPECT_EQ(saved.items[1].role, Item::Role::kAssistant);
  EXPECT_EQ(saved.items[2].content.at(0).kind, ItemPart::Kind::kInputAudio);
  const auto got = take(R"({"type":"conversation.item.retrieve","item_id":")" + saved.items[1].id + "\"}");
  EXPECT_EQ(got.at(0).at("item").at("content").at(0).at("text"), "It is 4711.");
  take(R"({"type":"response.create"})");
  EXPECT_EQ(host.did.back(), "ask And now?");
}

TEST_F(RealtimeSavedTest, AResponseThatWasBeingMadeIsAskedAgainUnderItsId) {
  take(R"({"type":"session.update","session":{"type":"realtime","instructions":"Be brief."}})");
  say("What is the code?");
  take(R"({"type":"response.create","response":{"max_output_tokens":5,"metadata":{"topic":"a\"b"}}})");
  conversation->response_text(asked_response(), "It ");
  const std::string id = asked_response();
  save_and_restore();
  save_and_restore();  // also where it died again before its client came
  EXPECT_EQ(conversation->save().items.size(), 1U);
  conversation->begin();
  EXPECT_EQ(types_since(0), (std::vector<std::string>{"session.created", "response.created"}));
  ASSERT_EQ(host.asked.size(), 1U);
  EXPECT_EQ(host.asked[0].response, id);
  EXPECT_EQ(host.asked[0].text, "Be brief.\nWhat is the code?");
  EXPECT_EQ(host.asked[0].max_output_tokens, 5);
  end(RealtimeEnd::Kind::kCompleted);
  EXPECT_EQ(host.sent.back().at("response").at("id").as_string(), id);
  EXPECT_EQ(host.sent.back().at("response").at("metadata").at("topic"), "a\"b");
  save_and_restore();
  settings();
  EXPECT_TRUE(host.asked.empty());
}

TEST_F(RealtimeSavedTest, OneThatWasBeingCancelledIsNotAskedAgainButWhatWaitedForItIs) {
  take(kCreate);
  take(kCancel);
  save_and_restore();
  settings();
  EXPECT_TRUE(host.asked.empty());
  take(kCreate);
  take(kCancel);
  say("And now?");
  take(kCreate);
  save_and_restore();
  conversation->begin();
  ASSERT_EQ(host.asked.size(), 1U);
  EXPECT_EQ(host.asked[0].text, "And now?");
  EXPECT_EQ(conversation->save().pending, "");
}

TEST_F(RealtimeSavedTest, WhatChangesWhatIsSavedIsCountedAndAPingIsNot) {
  const auto counted = [&](const std::function<void()>& what, bool changes) {
    const std::string before = print_saved(conversation->save());
    const std::uint64_t count = conversation->changes();
    what();
    EXPECT_EQ(print_saved(conversation->save()) != before, changes);
    EXPECT_EQ(conversation->changes() != count, changes);
  };
  const auto event = [&](std::string_view json) { return [this, json] { take(json); }; };
  counted(event(R"({"type":"session.update","session":{"type":"realtime","instructions":"Look."}})"), true);
  counted([&] { say("What is the code?"); }, true);
  counted(event(kCreate), true);
  conversation->response_begun(asked_response());
  counted([&] { conversation->response_text(asked_response(), "It is "); }, false);
  counted([&] { end(RealtimeEnd::Kind::kCompleted); }, true);
  counted(event(kCreate), true);
  counted(event(kCancel), true);
  counted(event(kCreate), true);
  counted(event(kCancel), true);
  counted([&] { append_ms(200); }, false);
  counted(event(R"({"type":"input_audio_buffer.commit"})"), true);
  const std::string spoken = conversation->save().items.back().id;
  counted([&] { conversation->transcribed(spoken, "Hello.", {}); }, true);
  counted(event(R"({"type":"conversation.item.delete","item_id":"item_none"})"), false);
  const std::string remove = R"({"type":"conversation.item.delete","item_id":")" + spoken + "\"}";
  counted(event(remove), true);
  counted(event(R"({"type":"clock.ping","t1_us":5})"), false);
  counted(event(R"({"type":"input_audio_buffer.clear"})"), false);
  counted(event(R"({"type":"nonsense"})"), false);
}

TEST_F(RealtimeSavedTest, ATokenIsToldOnceAndNeverSaved) {
  SavedConversation start;
  start.config.braid.resume_token = "secret";
  conversation.emplace(host, start, abilities, 7, limits);
  EXPECT_EQ(settings().at("braid").at("resume_token"), "secret");
  EXPECT_FALSE(settings().at("braid").as_object().contains("resume_token"));
  EXPECT_EQ(print_saved(start).find("secret"), std::string::npos);
  take(R"({"type":"session.update","session":{"type":"realtime","braid":{"resume_token":"mine"}}})");
  EXPECT_FALSE(settings().at("braid").as_object().contains("resume_token"));
}

TEST_F(RealtimeSavedTest, WhatIsntSoIsRefusedOrPassedOver) {
  for (const char* json :
       {"", "[]", "{}", R"({"session":5})", R"({"session":{"type":"realtime"},"items":[5]})",
        R"({"session":{"type":"realtime","audio":{"input":{"format":{"type":"mp3"}}}}})"})
    EXPECT_FALSE(parse_saved(json, abilities, limits)) << json;
  const auto later = parse_saved(
      R"({"session":{"type":"realtime","id":"s","mood":"good"},"items":[{"id":"i","content":[{"type":"hologram"}]}],"x":[]})",
      abilities, limits);
  ASSERT_TRUE(later) << later.error().message;
  EXPECT_EQ(later->items.size(), 1U);
}

}  // namespace
}  // namespace braid::openai
