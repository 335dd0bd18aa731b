#include "braid/openai/chat_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/openai/base64.h"
#include "test_support.h"

namespace braid::openai {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

ChatRequest parsed(std::string_view body) {
  auto request = parse_chat(body);
  EXPECT_TRUE(request) << body << ": " << (request ? "" : request.error().message);
  return request ? *request : ChatRequest{};
}

ChatRequest client_sends(const std::string& name) { return parsed(test_file("openai/" + name + ".json")); }

TEST(ChatRequest, HasDefaultsThatAskForNothing) {
  const ChatRequest request = parsed(R"({"model":"m","messages":[{"role":"user","content":"x"}]})");
  EXPECT_FALSE(request.stream);
  EXPECT_FALSE(request.include_usage);
  EXPECT_EQ(request.max_tokens, std::nullopt);
  EXPECT_EQ(request.top_logprobs, std::nullopt);
  EXPECT_EQ(request.sampling.temperature, std::nullopt);
  EXPECT_EQ(request.deadline, std::nullopt);
  EXPECT_EQ(request.tool_choice.kind, ToolChoice::Kind::kNone);
  EXPECT_THAT(request.stops, IsEmpty());
}

TEST(ChatRequest, ReadsTextAsTheOfficialClientSendsIt) {
  const ChatRequest request = client_sends("text");
  EXPECT_EQ(request.model, "nano");
  ASSERT_THAT(request.messages, SizeIs(2));
  EXPECT_EQ(request.messages[0].role, Role::kDeveloper);
  EXPECT_EQ(request.messages[0].content[0].text, "Answer in one word. \U0001F600 \"quoted\"\n");
  EXPECT_EQ(request.messages[1].role, Role::kUser);
  EXPECT_EQ(request.messages[1].name, "anna");
}

TEST(ChatRequest, DecodesMediaAsTheOfficialClientSendsThem) {
  const ChatRequest request = client_sends("media");
  const std::vector<Part>& parts = request.messages.at(0).content;
  ASSERT_THAT(parts, SizeIs(5));
  EXPECT_EQ(parts[0].text, "What happens?");
  EXPECT_EQ(parts[1].kind, Part::Kind::kImage);
  EXPECT_EQ(parts[1].mime, "image/png");
  EXPECT_EQ(parts[1].detail, "low");
  EXPECT_EQ(parts[1].timestamp_us, 1'500'000);
  EXPECT_THAT(parts[1].bytes, StartsWith("\x89PNG"));
  EXPECT_EQ(parts[2].url, "https://example.com/a.png");
  EXPECT_EQ(parts[2].detail, "auto");
  EXPECT_THAT(parts[2].bytes, IsEmpty());
  EXPECT_EQ(parts[3].kind, Part::Kind::kAudio);
  EXPECT_EQ(parts[3].mime, "audio/wav");
  EXPECT_THAT(parts[3].bytes, StartsWith("RIFF"));
  EXPECT_EQ(parts[4].kind, Part::Kind::kVideo);
  EXPECT_EQ(parts[4].mime, "video/mp4");
}

TEST(ChatRequest, ReadsSamplingAndBraidsOwnFields) {
  const ChatRequest request = client_sends("sampling");
  EXPECT_EQ(request.sampling.temperature, 0.7);
  EXPECT_EQ(request.sampling.top_p, 0.9);
  EXPECT_EQ(request.sampling.top_k, 20);
  EXPECT_EQ(request.sampling.min_p, 0.05);
  EXPECT_EQ(request.sampling.frequency_penalty, -0.5);
  EXPECT_EQ(request.sampling.presence_penalty, 1.25);
  EXPECT_THAT(request.sampling.logit_bias, ElementsAre(Pair(7, 5.0), Pair(50, -100.0)));
  EXPECT_EQ(request.sampling.seed, -3);
  EXPECT_EQ(request.max_tokens, 9);
  EXPECT_THAT(request.stops, ElementsAre("\n", "END"));
  EXPECT_EQ(request.top_logprobs, 3);
  EXPECT_TRUE(request.stream);
  EXPECT_TRUE(request.include_usage);
  EXPECT_EQ(request.deadline, Microseconds(250'500));
  EXPECT_EQ(request.braid.session, "s-1");
  EXPECT_EQ(request.braid.at_us, 12'000'000);
}

TEST(ChatRequest, ReadsToolsAndTheirCalls) {
  const ChatRequest request = client_sends("tools");
  ASSERT_THAT(request.messages, SizeIs(5));
  const Message& call = request.messages[1];
  EXPECT_THAT(call.content, IsEmpty());
  ASSERT_THAT(call.tool_calls, SizeIs(1));
  EXPECT_EQ(call.tool_calls[0].id, "call_1");
  EXPECT_EQ(call.tool_calls[0].name, "get_weather");
  EXPECT_EQ(call.tool_calls[0].arguments, R"({"place":"Bern"})");
  EXPECT_EQ(request.messages[2].role, Role::kTool);
  EXPECT_EQ(request.messages[2].tool_call_id, "call_1");
  ASSERT_THAT(request.tools, SizeIs(1));
  EXPECT_EQ(request.tools[0].name, "get_weather");
  EXPECT_EQ(request.tools[0].description, "Weather of a place \u2013 now");
  EXPECT_EQ(request.tools[0].parameters, R"({"type":"object","properties":{"place":{"type":"string"}}})");
  EXPECT_TRUE(request.tools[0].strict);
  EXPECT_EQ(request.tool_choice.kind, ToolChoice::Kind::kFunction);
  EXPECT_EQ(request.tool_choice.function, "get_weather");
  EXPECT_FALSE(request.parallel_tool_calls);
}

TEST(ChatRequest, KeepsASchemaAsText) {
  const ChatRequest request = client_sends("schema");
  EXPECT_EQ(request.response_format.kind, ResponseFormat::Kind::kJsonSchema);
  EXPECT_EQ(request.response_format.name, "scene");
  EXPECT_TRUE(request.response_format.strict);
  EXPECT_EQ(request.response_format.schema,
            R"({"type":"object","properties":{"seen":{"type":"array","items":{"type":"string"}},)"
            R"("n":{"type":"integer"}},"required":["seen","n"],"additionalProperties":false})");
}

TEST(ChatRequest, TakesNullForAbsentAndTheLastOfEqualNames) {
  const ChatRequest request = parsed(R"({"model":"a","model":"b","temperature":null,"stop":null,"tools":null,
      "stream":null,"messages":[{"role":"user","content":"x","name":null}],"unknown":{"a":[1]}})");
  EXPECT_EQ(request.model, "b");
}

TEST(ChatRequest, TakesWholeNumbersHoweverTheyAreWritten) {
  const ChatRequest request = parsed(
      R"({"model":"m","max_tokens":1e2,"seed":4.0,"top_k":-1,"messages":[{"role":"user","content":"x"}]})");
  EXPECT_EQ(request.max_tokens, 100);
  EXPECT_EQ(request.sampling.seed, 4);
  EXPECT_EQ(request.sampling.top_k, 0);
}

TEST(ChatRequest, ReadsEscapedBase64) {
  const ChatRequest request = parsed(
      R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url",
          "image_url":{"url":"data:image\/png;base64,\/\/\u002b\/"}}]}]})");
  EXPECT_EQ(request.messages.at(0).content.at(0).bytes, "\xFF\xFF\xBF");
}

TEST(ChatRequest, KeepsRefusalsOfEarlierTurns) {
  const ChatRequest request = parsed(R"({"model":"m","messages":[{"role":"assistant","refusal":"I won't."},
      {"role":"assistant","content":[{"type":"refusal","refusal":"No."},{"type":"text","text":"t"}]}]})");
  EXPECT_EQ(request.messages.at(0).content.at(0).kind, Part::Kind::kRefusal);
  EXPECT_THAT(request.messages.at(1).content, SizeIs(2));
}

TEST(ChatRequest, TakesALargePicture) {
  const std::string bytes(10'000'000, '\xA5');
  const ChatRequest request =
      parsed(R"({"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":)"
             R"("data:image/jpeg;base64,)" +
             encode_base64(bytes) + R"("}}]}]})");
  EXPECT_TRUE(request.messages.at(0).content.at(0).bytes == bytes);
}

}  // namespace
}  // namespace braid::openai
