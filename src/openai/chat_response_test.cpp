#include "braid/openai/chat_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "braid/openai/api_error.h"

namespace braid::openai {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const AnswerHead kHead{"chatcmpl-1", 1'700'000'000, "nano", ""};

Account account() {
  Account account;
  account.ttft = Microseconds(83'100);
  account.wall = Microseconds(214'400);
  account.stages[Stage::kDecodeFirst] = Microseconds(83'100);
  account.stages[Stage::kDecode] = Nanoseconds(131'300'000);
  account.verdict = Verdict::kMet;
  account.degraded = {"fewer_frames"};
  account.deadline = Milliseconds(500);
  account.window_to = SessionTime(Milliseconds(12'000));
  account.window_chunks = 12;
  account.window_tokens = 298;
  return account;
}

constexpr const char* kAccount =
    R"("braid":{"ttft_ms":83.1,"wall_ms":214.4,"freshness_ms":null,"stages_ms":{"capture":0,"ingest":0,"sync":0,)"
    R"("encode_queue":0,"encode":0,"prefill_queue":0,"prefill":0,"retrieve":0,"schedule":0,"decode_first":83.1,)"
    R"("decode":131.3,"deliver":0,"unattributed":0},"verdict":"met","degraded":["fewer_frames"],"deadline_ms":500,)"
    R"("window":{"from_us":0,"to_us":12000000,"chunks":12,"tokens":298,"evicted_chunks":0,"sources":{}},"evidence":[]})";

TEST(Completion, IsWhatTheOfficialClientReads) {
  Completion completion;
  completion.head = kHead;
  completion.content = "A \"dog\".\n";
  completion.usage = {.prompt = 10, .completion = 4, .cached = 8, .audio = 0, .image = 6, .text = 4};
  completion.account = account();
  EXPECT_EQ(
      print_completion(completion),
      R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"nano",)"
      R"("system_fingerprint":null,"choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"A \"dog\".\n","refusal":null},"logprobs":null,"finish_reason":"stop"}],)"
      R"("usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":)"
      R"({"cached_tokens":8,"audio_tokens":0,"image_tokens":6,"text_tokens":4},"completion_tokens_details":)"
      R"({"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},)" +
          std::string(kAccount) + "}");
}

TEST(Completion, OfToolCallsHasNoContent) {
  Completion completion;
  completion.tool_calls = {{"call_1", "f", R"({"a":1})"}, {"call_2", "g", "{}"}};
  completion.finish = Finish::kToolCalls;
  EXPECT_THAT(print_completion(completion),
              HasSubstr(R"("content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function",)"
                        R"("function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"call_2",)"));
}

TEST(Completion, GivesLogprobsWithTheBytesOfTokens) {
  Completion completion;
  completion.logprobs = {
      {{"\xC3", -0.25}, {{"\xC3", -0.25}, {"b", -std::numeric_limits<double>::infinity()}}}};
  EXPECT_THAT(print_completion(completion),
              HasSubstr(R"("logprobs":{"content":[{"token":")"
                        "\uFFFD"
                        R"(","logprob":-0.25,"bytes":[195],"top_logprobs":[{"token":")"
                        "\uFFFD"
                        R"(","logprob":-0.25,"bytes":[195]},{"token":"b","logprob":-9999,"bytes":[98]}]}],)"
                        R"("refusal":null})"));
}

constexpr const char* kChunk =
    R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"nano",)"
    R"("system_fingerprint":null,"choices":[)";

TEST(Chunks, ComeWithARoleTextAnEndAndUsage) {
  const ChunkPrinter chunks(kHead, true);
  EXPECT_EQ(chunks.role(), std::string(kChunk) +
                               R"({"index":0,"delta":{"role":"assistant","content":"","refusal":null},)"
                               R"("logprobs":null,"finish_reason":null}],"usage":null})");
  EXPECT_EQ(chunks.text("{}\xF0\x9F\x98\x80\x01"),
            std::string(kChunk) +
                "{\"index\":0,\"delta\":{\"content\":\"{}\U0001F600\\u0001\"},\"logprobs\":null,\"finish_"
                "reason\":null}],"
                "\"usage\":null}");
  EXPECT_EQ(chunks.last(Finish::kLength, account()),
            std::string(kChunk) + R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}],)" +
                kAccount + R"(,"usage":null})");
  EXPECT_THAT(chunks.usage({.prompt = 3, .completion = 2}),
              StartsWith(std::string(kChunk) +
                         R"(],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,)"));
}

TEST(Chunks, WithoutUsageDontMentionIt) {
  const ChunkPrinter chunks(kHead, false);
  EXPECT_THAT(chunks.last(Finish::kStop), EndsWith(R"("finish_reason":"stop"}]})"));
}

TEST(Chunks, CarryLogprobsAndWholeToolCalls) {
  const ChunkPrinter chunks(kHead, false);
  EXPECT_THAT(
      chunks.text("a", {{{"a", -1.5}, {}}}),
      HasSubstr(R"("delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1.5,"bytes":[97],)"
                R"("top_logprobs":[]}],"refusal":null},"finish_reason":null)"));
  EXPECT_THAT(
      chunks.tool_call(1, {"c", "f", "{}"}),
      HasSubstr(R"("delta":{"tool_calls":[{"index":1,"id":"c","type":"function","function":{"name":"f",)"
                R"("arguments":"{}"}}]},"logprobs":null)"));
}

TEST(Models, AreListedAndShown) {
  EXPECT_EQ(print_model({"nano", 5}), R"({"id":"nano","object":"model","created":5,"owned_by":"braid"})");
  EXPECT_EQ(print_models({{"a", 1}, {"b", 2}}),
            R"({"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"braid"},)"
            R"({"id":"b","object":"model","created":2,"owned_by":"braid"}]})");
  EXPECT_EQ(print_models({}), R"({"object":"list","data":[]})");
}

TEST(Ids, AreThirtyTwoDigitsBehindAPrefix) {
  EXPECT_EQ(make_id("chatcmpl-", 1, 0xABC), "chatcmpl-00000000000000010000000000000abc");
}

TEST(Errors, AreOpenAisOwnObject) {
  EXPECT_EQ(
      print_error({400, "Bad \xFF", "invalid_request_error", "messages[0]", ""}),
      "{\"error\":{\"message\":\"Bad \uFFFD\",\"type\":\"invalid_request_error\",\"param\":\"messages[0]\","
      "\"code\":null}}");
}

TEST(Errors, FromInsideKeepTheirMeaning) {
  EXPECT_EQ(to_api_error({ErrorCode::kBadInput, "no picture"}, "messages[0]").http_status, 400);
  EXPECT_EQ(to_api_error({ErrorCode::kBadInput, "no picture"}, "messages[0]").message, "no picture");
  EXPECT_EQ(to_api_error({ErrorCode::kNotFound, ""}).http_status, 404);
  EXPECT_EQ(to_api_error({ErrorCode::kFull, ""}).http_status, 429);
  EXPECT_EQ(to_api_error({ErrorCode::kLate, ""}).http_status, 503);
  const ApiError internal = to_api_error({ErrorCode::kInternal, "a pointer and a path"});
  EXPECT_EQ(internal.http_status, 500);
  EXPECT_THAT(internal.message, Not(HasSubstr("pointer")));
}

}  // namespace
}  // namespace braid::openai
