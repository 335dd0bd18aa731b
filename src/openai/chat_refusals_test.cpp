// What a client may get wrong, and what it is told.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "braid/base/utf8.h"
#include "braid/openai/chat_request.h"

namespace braid::openai {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  std::string fields;  // beside a model and a message; or instead, if they begin with "messages" or "model"
  std::string param;
  std::string code;
  int status = 400;
};

ApiError error_of(const std::string& body, const ChatLimits& limits = {}) {
  auto request = parse_chat(body, limits);
  EXPECT_FALSE(request) << body;
  return request ? ApiError{} : request.error();
}

void expect_all(const std::vector<Refusal>& refusals, const ChatLimits& limits = {}) {
  for (const Refusal& refusal : refusals) {
    // The last of equal names counts.
    const std::string body =
        R"({"model":"m","messages":[{"role":"user","content":"x"}],)" + refusal.fields + "}";
    const ApiError error = error_of(body, limits);
    EXPECT_EQ(error.param, refusal.param) << body << "\n" << error.message;
    EXPECT_EQ(error.code, refusal.code) << body << "\n" << error.message;
    EXPECT_EQ(error.http_status, refusal.status) << body;
    EXPECT_EQ(error.type, "invalid_request_error");
  }
}

std::string message(const std::string& fields) { return R"("messages":[{)" + fields + "}]"; }
std::string part(const std::string& fields) {
  return R"("messages":[{"role":"user","content":"x"},{"role":"user","content":[{)" + fields + "}]}]";
}

TEST(ChatRefusals, NameFieldsOfWrongTypes) {
  for (const char* name :
       {"temperature", "top_p", "min_p", "frequency_penalty", "presence_penalty", "deadline_ms", "top_k",
        "seed", "max_tokens", "max_completion_tokens", "n", "top_logprobs"})
    expect_all({{fmt::format(R"("{}":"1")", name), name, "invalid_type"}});
  for (const char* name : {"stream", "logprobs", "store", "parallel_tool_calls"})
    expect_all({{fmt::format(R"("{}":1)", name), name, "invalid_type"}});
  for (const char* name :
       {"model", "user", "service_tier", "reasoning_effort", "verbosity", "safety_identifier"})
    expect_all({{fmt::format(R"("{}":[])", name), name, "invalid_type"}});
  for (const char* name :
       {"metadata", "response_format", "stream_options", "logit_bias", "braid", "prediction"})
    expect_all({{fmt::format(R"("{}":"x")", name), name, "invalid_type"}});
  for (const char* name : {"messages", "tools", "modalities"})
    expect_all({{fmt::format(R"("{}":{{}})", name), name, "invalid_type"}});
  expect_all({{R"("stop":5)", "stop", "invalid_type"},
              {R"("stop":["a",5])", "stop[1]", "invalid_type"},
              {R"("seed":1.5)", "seed", "invalid_type"},
              {R"("seed":123456789012345678901)", "seed", "integer_above_max_value"},
              {R"("seed":-1e999)", "seed", "integer_below_min_value"},
              {R"("seed":1e-999)", "seed", "invalid_type"},
              {R"("max_tokens":1e308)", "max_tokens", "integer_above_max_value"},
              {R"("braid":{"session":1})", "braid.session", "invalid_type"},
              {R"("braid":{"at_us":"now"})", "braid.at_us", "invalid_type"},
              {R"("braid":{"at_us":4000000000000001})", "braid.at_us", "integer_above_max_value"},
              {R"("braid":{"session":""})", "braid.session", "empty_string"},
              {R"("braid":{"sesion":"s"})", "braid.sesion", "unknown_parameter"},
              {R"("stream":true,"stream_options":{"include_usage":1})", "stream_options.include_usage",
               "invalid_type"},
              {R"("logit_bias":{"5":"x"})", "logit_bias.5", "invalid_type"}});
}

TEST(ChatRefusals, SayWhatAMisspeltFieldOfOursMayMean) {
  const auto told = [](const std::string& braid) {
    return error_of(R"({"model":"m","braid":)" + braid + R"(,"messages":[{"role":"user","content":"x"}]})")
        .message;
  };
  EXPECT_EQ(told(R"({"sesion":"s"})"), "Unknown parameter: 'braid.sesion'; did you mean 'session'?");
  EXPECT_EQ(told(R"({"qqqqqqqq":1})"), "Unknown parameter: 'braid.qqqqqqqq'; there are session, at_us");
  EXPECT_TRUE(parse_chat(R"({"model":"m","of_tomorrow":1,"messages":[{"role":"user","content":"x"}]})"))
      << "what stock clients send is passed over";
}

TEST(ChatRefusals, NameValuesOutOfRange) {
  expect_all({{R"("temperature":2.01)", "temperature", "decimal_above_max_value"},
              {R"("temperature":-1)", "temperature", "decimal_below_min_value"},
              {R"("temperature":1e999)", "temperature", "decimal_above_max_value"},
              {R"("top_p":1.1)", "top_p", "decimal_above_max_value"},
              {R"("min_p":-0.1)", "min_p", "decimal_below_min_value"},
              {R"("frequency_penalty":3)", "frequency_penalty", "decimal_above_max_value"},
              {R"("presence_penalty":-3)", "presence_penalty", "decimal_below_min_value"},
              {R"("deadline_ms":0)", "deadline_ms", "decimal_below_min_value"},
              {R"("max_tokens":0)", "max_tokens", "integer_below_min_value"},
              {R"("max_tokens":3000000000)", "max_tokens", "integer_above_max_value"},
              {R"("top_k":-2)", "top_k", "integer_below_min_value"},
              {R"("logprobs":true,"top_logprobs":21)", "top_logprobs", "integer_above_max_value"},
              {R"("logit_bias":{"5":101})", "logit_bias.5", "decimal_above_max_value"},
              {R"("logit_bias":{"-5":1})", "logit_bias.-5", "invalid_value"},
              {R"("logit_bias":{"the":1})", "logit_bias.the", "invalid_value"},
              {R"("stop":["a","b","c","d","e"])", "stop", "array_above_max_length"},
              {R"("model":"")", "model", "empty_string"},
              {R"("messages":[])", "messages", "empty_array"},
              {R"("response_format":{"type":"xml"})", "response_format.type", "invalid_value"}});
}

TEST(ChatRefusals, NameWhatCannotBeDone) {
  expect_all({{R"("n":2)", "n", "unsupported_value"},
              {R"("modalities":["text","audio"])", "modalities[1]", "unsupported_value"},
              {R"("audio":{"voice":"x","format":"wav"})", "audio", "unsupported_parameter"},
              {R"("web_search_options":{})", "web_search_options", "unsupported_parameter"},
              {R"("functions":[])", "functions", "unsupported_parameter"},
              {R"("function_call":"auto")", "function_call", "unsupported_parameter"},
              {R"("top_logprobs":2)", "top_logprobs", "invalid_value"},
              {R"("stream_options":{})", "stream_options", "invalid_value"},
              {R"("tools":[{"type":"custom","custom":{"name":"x"}}])", "tools[0].type", "invalid_value"}});
}

TEST(ChatRefusals, NameThePlaceInAMessage) {
  expect_all(
      {{R"("messages":["x"])", "messages[0]", "invalid_type"},
       {message(R"("content":"x")"), "messages[0].role", "missing_required_parameter"},
       {message(R"("role":"boss","content":"x")"), "messages[0].role", "invalid_value"},
       {message(R"("role":1,"content":"x")"), "messages[0].role", "invalid_type"},
       {message(R"("role":"user")"), "messages[0].content", "missing_required_parameter"},
       {message(R"("role":"user","content":null)"), "messages[0].content", "missing_required_parameter"},
       {message(R"("role":"assistant")"), "messages[0].content", "missing_required_parameter"},
       {message(R"("role":"user","content":5)"), "messages[0].content", "invalid_type"},
       {message(R"("role":"user","content":[])"), "messages[0].content", "empty_array"},
       {message(R"("role":"user","content":["x"])"), "messages[0].content[0]", "invalid_type"},
       {message(R"("role":"user","content":"x","name":5)"), "messages[0].name", "invalid_type"},
       {message(R"("role":"tool","content":"x")"), "messages[0].tool_call_id", "missing_required_parameter"},
       {message(R"("role":"assistant","tool_calls":{})"), "messages[0].tool_calls", "invalid_type"},
       {message(R"("role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f"}}])"),
        "messages[0].tool_calls[0].function.arguments", "missing_required_parameter"},
       {message(R"("role":"assistant","tool_calls":[{"type":"function"}])"), "messages[0].tool_calls[0].id",
        "missing_required_parameter"},
       {message(R"("role":"assistant","tool_calls":[{"id":"a","type":"custom"}])"),
        "messages[0].tool_calls[0].type", "invalid_value"},
       {message(R"("role":"system","content":[{"type":"image_url"}])"), "messages[0].content[0].type",
        "invalid_value"}});
}

TEST(ChatRefusals, NameThePlaceInAPart) {
  const std::string in = "messages[1].content[0].";
  expect_all(
      {{part(""), in + "type", "missing_required_parameter"},
       {part(R"("type":5)"), in + "type", "invalid_type"},
       {part(R"("type":"file","file":{})"), in + "type", "invalid_value"},
       {part(R"("type":"text")"), in + "text", "missing_required_parameter"},
       {part(R"("type":"text","text":5)"), in + "text", "invalid_type"},
       {part(R"("type":"text","text":"x","timestamp_us":"1")"), in + "timestamp_us", "invalid_type"},
       {part(R"("type":"text","text":"x","timestamp_us":-1)"), in + "timestamp_us",
        "integer_below_min_value"},
       {part(R"("type":"text","text":"x","timestamp_us":4000000000000001)"), in + "timestamp_us",
        "integer_above_max_value"},
       {part(R"("type":"image_url")"), in + "image_url", "missing_required_parameter"},
       {part(R"("type":"image_url","image_url":"data:,")"), in + "image_url", "invalid_type"},
       {part(R"("type":"image_url","image_url":{})"), in + "image_url.url", "missing_required_parameter"},
       {part(R"("type":"image_url","image_url":{"url":5})"), in + "image_url.url", "invalid_type"},
       {part(R"("type":"image_url","image_url":{"url":"ftp://example.com/a"})"), in + "image_url.url",
        "invalid_image_url"},
       {part(R"("type":"image_url","image_url":{"url":"http://"})"), in + "image_url.url",
        "invalid_image_url"},
       {part(R"("type":"image_url","image_url":{"url":"data:image/png;base64,T"})"), in + "image_url.url",
        "invalid_image_data"},
       {part(R"("type":"image_url","image_url":{"url":"data:image/png;base64,"})"), in + "image_url.url",
        "invalid_image_data"},
       {part(R"("type":"image_url","image_url":{"url":"http://example.com","detail":"most"})"),
        in + "image_url.detail", "invalid_value"},
       {part(R"("type":"video_url","video_url":{"url":"x"})"), in + "video_url.url", "invalid_video_url"},
       {part(R"("type":"input_audio","input_audio":{"data":"TQ=="})"), in + "input_audio.format",
        "missing_required_parameter"},
       {part(R"("type":"input_audio","input_audio":{"format":"ogg","data":"TQ=="})"),
        in + "input_audio.format", "invalid_value"},
       {part(R"("type":"input_audio","input_audio":{"format":"wav"})"), in + "input_audio.data",
        "missing_required_parameter"},
       {part(R"("type":"input_audio","input_audio":{"format":"wav","data":"?"})"), in + "input_audio.data",
        "invalid_audio_data"}});
}

std::string tool(const std::string& fields) {
  return R"("tools":[{"type":"function","function":{)" + fields + "}}]";
}
std::string schema(const std::string& text) {
  return R"("response_format":{"type":"json_schema","json_schema":{"name":"s","schema":)" + text + "}}";
}

TEST(ChatRefusals, NameThePlaceInToolsAndSchemas) {
  std::string deep = "{}", wide = R"({"properties":{"p":{})";
  for (int i = 0; i < 16; ++i) deep = R"({"a":)" + deep + "}";
  for (int i = 0; i < 512; ++i) wide += fmt::format(R"(,"p{}":{{}})", i);
  const std::string long_text = R"({"title":")" + std::string(70'000, 'x') + R"("})";
  const std::string place = "response_format.json_schema.schema";
  expect_all(
      {{tool(R"("name":"a b")"), "tools[0].function.name", "invalid_value"},
       {tool(R"("description":"x")"), "tools[0].function.name", "missing_required_parameter"},
       {tool(R"("name":"a","parameters":[])"), "tools[0].function.parameters", "invalid_type"},
       {tool(R"("name":"a","strict":"yes")"), "tools[0].function.strict", "invalid_type"},
       {R"("tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}])",
        "tools[1]", "invalid_value"},
       {R"("tool_choice":"auto")", "tool_choice", "invalid_value"},
       {tool(R"("name":"a")") + R"(,"tool_choice":"must")", "tool_choice", "invalid_value"},
       {tool(R"("name":"a")") + R"(,"tool_choice":{"type":"function","function":{"name":"b"}})",
        "tool_choice.function.name", "invalid_value"},
       {R"("response_format":{"type":"json_schema"})", "response_format.json_schema",
        "missing_required_parameter"},
       {schema("[]"), place, "invalid_type"},
       {schema(deep), place, "invalid_json_schema"},
       {schema(wide + "}}"), place, "invalid_json_schema"},
       {schema(long_text), place, "invalid_json_schema"}});
  // One level and one property fewer pass.
  EXPECT_TRUE(parse_chat(R"({"model":"m","messages":[{"role":"user","content":"x"}],)" +
                         schema(deep.substr(5, deep.size() - 6)) + "}"));
}

TEST(ChatRefusals, KeepEveryBound) {
  ChatLimits limits;
  limits.messages = 2;
  limits.parts = 2;
  limits.text_bytes = 10;
  limits.media_bytes = 4;
  limits.media_total = 6;
  limits.tools = 1;
  limits.biases = 1;
  const std::string turn = R"({"role":"user","content":"x"})", text = R"({"type":"text","text":"x"})";
  const auto image = [](const std::string& data) {
    return R"({"type":"image_url","image_url":{"url":"data:image/png;base64,)" + data + R"("}})";
  };
  const auto parts = [](const std::string& list) {
    return R"("messages":[{"role":"user","content":[)" + list + "]}]";
  };
  const std::string a_tool = R"({"type":"function","function":{"name":"a"}})";
  expect_all({{fmt::format(R"("messages":[{0},{0},{0}])", turn), "messages", "array_above_max_length"},
              {parts(fmt::format("{0},{0},{0}", text)), "messages[0].content", "array_above_max_length"},
              {R"("messages":[{"role":"user","content":"12345"},{"role":"user","content":"123456"}])",
               "messages[1].content", "string_above_max_length", 413},
              {parts(image("Zm9vYmE=")), "messages[0].content[0].image_url.url", "image_too_large", 413},
              {parts(image("Zm9vYg==") + "," + image("Zm9v")), "messages[0].content[1].image_url.url",
               "image_too_large", 413},
              {fmt::format(R"("tools":[{0},{0}])", a_tool), "tools", "array_above_max_length"},
              {R"("logit_bias":{"1":1,"2":1})", "logit_bias", "array_above_max_length"}},
             limits);
  EXPECT_EQ(error_of("{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}").code, "invalid_json");
  limits.values = 3;
  EXPECT_THAT(error_of(R"({"a":[1,2,3]})", limits).message, HasSubstr("more than 3 values"));
  limits.body_bytes = 5;
  EXPECT_EQ(error_of(R"({"a":1})", limits).http_status, 413);
}

TEST(ChatRefusals, SayWhereABodyIsNotJson) {
  for (const char* body :
       {"", "{", "[]", "5", "null", "{\"a\":1}x", "{'a':1}", "{\"a\":\"\xFF\"}", "{\"a\":\"\\ud800\"}"}) {
    const ApiError error = error_of(body);
    EXPECT_EQ(error.http_status, 400) << body;
    EXPECT_EQ(error.param, "") << body;
    EXPECT_THAT(error.message, HasSubstr("body")) << body;
  }
  EXPECT_EQ(error_of("{}").param, "model");
}

TEST(ChatRefusals, AreValidTextWhateverTheClientSaid) {
  const ApiError error = error_of(R"({"model":"m","messages":[{"role":")" + std::string(63, 'a') +
                                  "\xC3\xA4\",\"content\":\"x\"}]}");
  EXPECT_EQ(to_valid_utf8(error.message), error.message);
}

}  // namespace
}  // namespace braid::openai
