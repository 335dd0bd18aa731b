#include <gmock/gmock.h>

#include "realtime_fixture.h"

namespace braid::openai {
namespace {

using testing::ElementsAre;
using Kind = RealtimeEnd::Kind;

TEST_F(RealtimeTest, AResponseIsToldFromItsCreationToItsUsage) {
  say("What do you see?");
  EXPECT_THAT(types(kCreate), ElementsAre("response.created"));
  EXPECT_EQ(host.asked.back().text, "What do you see?");
  const std::size_t before = host.sent.size();
  conversation->response_begun(asked_response());
  conversation->response_text(asked_response(), "I see ");
  conversation->response_text(asked_response(), "a cat.");
  end(Kind::kCompleted);
  EXPECT_THAT(types_since(before), ElementsAre("response.output_item.added", "conversation.item.added",
                                               "response.content_part.added", "response.output_text.delta",
                                               "response.output_text.delta", "response.output_text.done",
                                               "response.content_part.done", "conversation.item.done",
                                               "response.output_item.done", "response.done"));
  const auto& done = host.sent.back().at("response").as_object();
  EXPECT_EQ(done.at("status"), "completed");
  EXPECT_EQ(done.at("output").at(0).at("content").at(0).at("text"), "I see a cat.");
  EXPECT_EQ(done.at("usage").at("total_tokens"), 13);
}

TEST_F(RealtimeTest, AConnectionThatGoesOnIsToldOfTheResponseThatIsOpen) {
  take(kCreate);
  conversation->response_text(asked_response(), "I see ");
  const std::string id = asked_response();
  conversation->taken_over();
  EXPECT_EQ(host.sent.back().at("error").at("code"), "session_taken_over");
  const std::size_t before = host.sent.size();
  conversation->begin();
  EXPECT_THAT(types_since(before),
              ElementsAre("session.created", "response.created", "response.output_item.added",
                          "conversation.item.added", "response.content_part.added"));
  EXPECT_EQ(host.sent[before + 1].at("response").at("id").as_string(), id);
  EXPECT_TRUE(host.sent[before + 2].at("item").at("content").as_array().empty());
  EXPECT_EQ(host.sent.back().at("part").at("text"), "I see ");
  conversation->response_text(asked_response(), "a cat.");
  end(Kind::kCompleted);
  EXPECT_EQ(host.sent.back().at("response").at("output").at(0).at("content").at(0).at("text"),
            "I see a cat.");
}

TEST_F(RealtimeTest, AnAnswerWithoutTextStillHasItsItem) {
  take(kCreate);
  const std::size_t before = host.sent.size();
  end(Kind::kCompleted);
  EXPECT_THAT(types_since(before), ElementsAre("response.output_item.added", "conversation.item.added",
                                               "response.content_part.added", "response.output_text.done",
                                               "response.content_part.done", "conversation.item.done",
                                               "response.output_item.done", "response.done"));
}

TEST_F(RealtimeTest, OneAnswerAtATime) {
  take(kCreate);
  EXPECT_EQ(code(kCreate), "conversation_already_has_active_response");
  EXPECT_EQ(host.asked.size(), 1U);
}

TEST_F(RealtimeTest, ACancelledResponseEndsOnceAndSaysWhy) {
  take(kCreate);
  conversation->response_text(asked_response(), "I s");
  EXPECT_TRUE(take(kCancel).empty());
  EXPECT_EQ(host.did.back(), "cancel " + asked_response() + " after 3");
  EXPECT_EQ(code(kCancel), "response_cancel_not_active");
  end(Kind::kCancelled);
  const auto done = host.sent.back().at("response").as_object();
  EXPECT_EQ(done.at("status"), "cancelled");
  EXPECT_EQ(done.at("status_details").at("reason"), "client_cancelled");
  EXPECT_EQ(done.at("output").at(0).at("status"), "incomplete");
  const std::size_t before = host.sent.size();
  end(Kind::kCompleted);
  EXPECT_EQ(host.sent.size(), before) << "ended twice";
}

TEST_F(RealtimeTest, WhatIsAskedWhileOneIsCancelledComesAfterIt) {
  take(kCreate);
  take(kCancel);
  EXPECT_TRUE(take(kCreate).empty());
  EXPECT_EQ(code(kCreate), "conversation_already_has_active_response");
  const std::size_t before = host.sent.size();
  end(Kind::kCancelled);
  EXPECT_THAT(types_since(before), ElementsAre("response.done", "response.created"));
  EXPECT_EQ(host.asked.size(), 2U);
}

TEST_F(RealtimeTest, WhatWaitsForACancelledOneCanBeCancelledToo) {
  take(kCreate);
  take(kCancel);
  take(kCreate);
  EXPECT_THAT(types(kCancel), ElementsAre("response.created", "response.done"));
  EXPECT_EQ(host.sent.back().at("response").at("status"), "cancelled");
  const std::size_t before = host.sent.size();
  end(Kind::kCancelled);
  EXPECT_THAT(types_since(before), ElementsAre("response.done"));
}

TEST_F(RealtimeTest, NothingToCancelIsAnErrorThatNamesTheEvent) {
  const auto events = take(kCancel);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].at("error").at("code"), "response_cancel_not_active");
  EXPECT_EQ(events[0].at("error").at("event_id"), "e2");
  take(kCreate);
  EXPECT_EQ(code(R"({"type":"response.cancel","response_id":"resp_other"})"), "response_cancel_not_active");
}

TEST_F(RealtimeTest, AnAnswerThatIsTooLongIsIncomplete) {
  take(R"({"type":"response.create","response":{"max_output_tokens":5,"metadata":{"topic":"a\"b"}}})");
  EXPECT_EQ(host.asked.back().max_output_tokens, 5);
  conversation->response_text(asked_response(), "I");
  end(Kind::kLength);
  const auto& done = host.sent.back().at("response").as_object();
  EXPECT_EQ(done.at("status"), "incomplete");
  EXPECT_EQ(done.at("status_details").at("reason"), "max_output_tokens");
  EXPECT_EQ(done.at("metadata").at("topic"), "a\"b");
}

TEST_F(RealtimeTest, WhatCantBeAskedFails) {
  host.refuses = Error{ErrorCode::kFull, "too much waits", true};
  EXPECT_THAT(types(kCreate), ElementsAre("response.created", "response.done"));
  const auto& done = host.sent.back().at("response").as_object();
  EXPECT_EQ(done.at("status"), "failed");
  EXPECT_EQ(done.at("status_details").at("error").at("code"), "full");
  host.refuses.reset();
  EXPECT_THAT(types(kCreate), ElementsAre("response.created"));
}

TEST_F(RealtimeTest, StagesFollowTheResponse) {
  take(kCreate);
  RealtimeEnd ended;
  ended.account = Account{};
  ended.account->wall = Milliseconds(12);
  conversation->response_ended(asked_response(), ended);
  EXPECT_EQ(host.sent.back().at("type"), "braid.stages");
  EXPECT_EQ(host.sent.back().at("response_id"), host.sent[host.sent.size() - 2].at("response").at("id"));
  EXPECT_EQ(host.sent.back().at("braid").at("wall_ms"), 12);
}

TEST_F(RealtimeTest, OnlyTextComesOut) {
  EXPECT_EQ(code(R"({"type":"response.create","response":{"output_modalities":["audio"]}})"),
            "unsupported_value");
  EXPECT_EQ(code(R"({"type":"response.create","response":{"conversation":"none"}})"), "unsupported_value");
  EXPECT_EQ(code(R"({"type":"response.create","response":{"tools":[{"type":"function","name":"f"}]}})"),
            "unsupported_value");
  EXPECT_EQ(code(R"({"type":"response.create","response":{"max_output_tokens":97}})"), "unsupported_value");
  EXPECT_TRUE(host.asked.empty());
}

TEST_F(RealtimeTest, InstructionsStandBeforeTheQuestion) {
  take(R"({"type":"session.update","session":{"type":"realtime","instructions":"Be brief."}})");
  say("What?");
  take(kCreate);
  EXPECT_EQ(host.asked.back().text, "Be brief.\nWhat?");
  end(Kind::kCompleted);
  say("And now?");
  take(R"({"type":"response.create","response":{"instructions":"Be long."}})");
  EXPECT_EQ(host.asked.back().text, "Be long.\nAnd now?");
}

}  // namespace
}  // namespace braid::openai
