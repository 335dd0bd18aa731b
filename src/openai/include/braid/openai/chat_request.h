#pragma once
// A request to POST /v1/chat/completions, read and checked. Braid's own fields are marked; stock clients
// don't send them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/time.h"
#include "braid/openai/api_error.h"

namespace braid::openai {

/// What a request may take. What passes a bound is refused with 400 (413 where bytes are meant).
struct ChatLimits {
  std::size_t body_bytes = 32U << 20;
  std::size_t values = 1U << 18;  ///< JSON values in the body
  std::size_t depth = 32;         ///< JSON levels
  std::size_t messages = 2048;
  std::size_t parts = 256;               ///< of one message
  std::size_t text_bytes = 1U << 20;     ///< of all texts together
  std::size_t media_bytes = 20U << 20;   ///< decoded, of one part
  std::size_t media_total = 24U << 20;   ///< decoded, of all parts
  std::size_t schema_bytes = 64U << 10;  ///< of a JSON schema as text
  std::size_t schema_depth = 16;         ///< levels of one
  std::size_t schema_properties = 512;   ///< members of all its "properties"
  std::size_t tools = 128;
  std::size_t stop_bytes = 256;  ///< of one stop text
  std::size_t biases = 1024;     ///< entries of logit_bias
};

enum class Role { kSystem, kDeveloper, kUser, kAssistant, kTool };
const char* to_string(Role role);

/// A piece of a message's content.
struct Part {
  enum class Kind { kText, kRefusal, kImage, kAudio, kVideo };
  Kind kind = Kind::kText;
  std::string text;    ///< of kText and kRefusal, valid UTF-8
  std::string bytes;   ///< decoded media; empty if `url` is set
  std::string mime;    ///< of `bytes`: what the data URI says, or audio/wav, audio/mpeg; lower case
  std::string url;     ///< media elsewhere (http or https); the server decides whether it is fetched
  std::string detail;  ///< of kImage: auto, low, high or original
  std::optional<std::int64_t> timestamp_us;  ///< Braid's: when it was captured, session time
};

/// A function call that the model made.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  ///< JSON text as the model made it; may be invalid
};

struct Message {
  Role role = Role::kUser;
  std::vector<Part> content;         ///< a string is one text part; empty: null
  std::string name;                  ///< of who speaks; mostly empty
  std::vector<ToolCall> tool_calls;  ///< of kAssistant
  std::string tool_call_id;          ///< of kTool
};

/// A function that the model may call.
struct Tool {
  std::string name;
  std::string description;
  std::string parameters;  ///< JSON schema as text; empty: none
  bool strict = false;
};

struct ToolChoice {
  enum class Kind { kNone, kAuto, kRequired, kFunction };
  Kind kind = Kind::kNone;  ///< by default kAuto if there are tools
  std::string function;     ///< of kFunction: the name of one of the tools
};

struct ResponseFormat {
  enum class Kind { kText, kJsonObject, kJsonSchema };
  Kind kind = Kind::kText;
  std::string name;    ///< of kJsonSchema
  std::string schema;  ///< JSON text, an object; empty if the client gave none
  bool strict = false;
};

/// How tokens are chosen; none: the server's default.
struct SamplingParams {
  std::optional<double> temperature;                        ///< 0..2
  std::optional<double> top_p;                              ///< 0..1
  std::optional<int> top_k;                                 ///< Braid's: 0: off
  std::optional<double> min_p;                              ///< Braid's: 0..1
  double frequency_penalty = 0;                             ///< -2..2
  double presence_penalty = 0;                              ///< -2..2
  std::vector<std::pair<std::int32_t, double>> logit_bias;  ///< token, -100..100; ascending, no token twice
  std::optional<std::int64_t> seed;
};

/// Braid's: what is asked of a live session.
struct BraidOptions {
  std::string session;                ///< id; empty: none
  std::optional<std::int64_t> at_us;  ///< session time that the question is about; none: now
};

struct ChatRequest {
  std::string model;
  std::vector<Message> messages;  ///< at least one
  SamplingParams sampling;
  std::optional<int> max_tokens;    ///< of max_completion_tokens or max_tokens; >= 1
  std::vector<std::string> stops;   ///< at most 4, none empty
  std::optional<int> top_logprobs;  ///< none: no logprobs wanted; 0..20 beside the chosen one
  bool stream = false;
  bool include_usage = false;  ///< of stream_options
  ResponseFormat response_format;
  std::vector<Tool> tools;
  ToolChoice tool_choice;
  bool parallel_tool_calls = true;
  std::optional<Nanoseconds> deadline;  ///< Braid's deadline_ms, from the request's arrival
  BraidOptions braid;
};

/// Reads a request's body. Media in data URIs are decoded straight from `body`. Unknown fields are ignored,
/// as are known ones that mean nothing here (user, metadata, store, ...) once their type is right; what would
/// change the answer and can't be done (n > 1, audio output, custom tools) is refused. Doesn't throw, doesn't
/// block; any thread.
Parsed<ChatRequest> parse_chat(std::string_view body, const ChatLimits& limits = {});

}  // namespace braid::openai
