#include "braid/openai/chat_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "chat_messages.h"
#include "chat_tools.h"
#include "field_reader.h"

namespace braid::openai {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxModel = 256;    // bytes
constexpr std::size_t kMaxSession = 128;  // bytes
constexpr std::size_t kMaxIgnored = 64U << 10;
constexpr std::size_t kMaxStops = 4;
constexpr int kMaxTop = 20;
constexpr double kMaxDeadlineMs = 24.0 * 3600 * 1000;

class RequestReader {
 public:
  RequestReader(const JsonDoc& doc, const ChatLimits& limits) : reader_(doc), limits_(limits) {}

  Parsed<ChatRequest> read() {
    request_.model = reader_.required_string(kRoot, "model", kMaxModel);
    sampling();
    length();
    logprobs();
    streaming();
    read_response_format(reader_, kRoot, limits_, request_);
    read_tools(reader_, kRoot, limits_, request_);
    braid();
    impossible();
    ignored();
    // Last, so that nothing large is decoded for a request that is refused for something small.
    const std::optional<JsonIndex> messages = reader_.required(kRoot, "messages");
    if (messages && reader_.is(*messages, Kind::kArray, "an array of objects") && !reader_.failed())
      request_.messages = read_messages(reader_, *messages, limits_);
    if (reader_.failed()) return tl::unexpected(reader_.take_error());
    return std::move(request_);
  }

 private:
  static constexpr JsonIndex kRoot = 0;

  void sampling() {
    SamplingParams& to = request_.sampling;
    to.temperature = reader_.decimal(kRoot, "temperature", 0, 2);
    to.top_p = reader_.decimal(kRoot, "top_p", 0, 1);
    to.min_p = reader_.decimal(kRoot, "min_p", 0, 1);
    to.frequency_penalty = reader_.decimal(kRoot, "frequency_penalty", -2, 2).value_or(0);
    to.presence_penalty = reader_.decimal(kRoot, "presence_penalty", -2, 2).value_or(0);
    to.seed = reader_.integer(kRoot, "seed");
    // -1 is how others say that it is off.
    if (const auto top_k = reader_.integer(kRoot, "top_k", -1, std::numeric_limits<int>::max()))
      to.top_k = static_cast<int>(std::max<std::int64_t>(*top_k, 0));
    logit_bias();
  }

  void logit_bias() {
    const std::optional<JsonIndex> object = reader_.object(kRoot, "logit_bias");
    if (!object) return;
    const std::size_t count = reader_.doc().children(*object);
    if (!reader_.within(*object, count, limits_.biases, "entries")) return;
    std::vector<std::pair<std::int32_t, double>>& biases = request_.sampling.logit_bias;
    for (JsonIndex at = *object + 1; at < reader_.node(*object).end; at = reader_.node(at).end) {
      const std::string_view key = reader_.node(at).key;
      std::int32_t token = -1;
      const auto [end, ec] = std::from_chars(key.data(), key.data() + key.size(), token);
      if (ec != std::errc{} || end != key.data() + key.size() || token < 0)
        return reader_.refuse(at, "invalid_value", "Invalid 'logit_bias': its keys must be token ids.");
      const auto bias = reader_.decimal(*object, key, -100, 100);
      if (bias) biases.emplace_back(token, *bias);
    }
    std::sort(biases.begin(), biases.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    biases.erase(std::unique(biases.begin(), biases.end(), same), biases.end());
  }

  void length() {
    for (const char* name : {"max_tokens", "max_completion_tokens"})
      if (const auto count = reader_.integer(kRoot, name, 1, std::numeric_limits<int>::max()))
        request_.max_tokens = static_cast<int>(*count);
    const std::optional<JsonIndex> stop = reader_.doc().member(kRoot, "stop");
    if (!stop) return;
    if (reader_.node(*stop).kind == Kind::kString) return stop_text(*stop);
    if (!reader_.is(*stop, Kind::kArray, "one of a string or array of strings")) return;
    if (!reader_.within(*stop, reader_.doc().children(*stop), kMaxStops, "texts")) return;
    for (JsonIndex at = *stop + 1; at < reader_.node(*stop).end; at = reader_.node(at).end)
      if (reader_.is(at, Kind::kString, "a string")) stop_text(at);
  }

  void stop_text(JsonIndex at) {
    const std::string_view text = reader_.node(at).text;
    if (!reader_.within(at, text.size(), limits_.stop_bytes, "bytes")) return;
    if (!text.empty()) request_.stops.emplace_back(text);
  }

  void logprobs() {
    const bool wanted = reader_.boolean(kRoot, "logprobs").value_or(false);
    const auto top = reader_.integer(kRoot, "top_logprobs", 0, kMaxTop);
    if (wanted) request_.top_logprobs = static_cast<int>(top.value_or(0));
    if (top && !wanted)
      reader_.refuse("top_logprobs", "invalid_value",
                     "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.");
  }

  void streaming() {
    request_.stream = reader_.boolean(kRoot, "stream").value_or(false);
    const std::optional<JsonIndex> options = reader_.object(kRoot, "stream_options");
    if (!options) return;
    request_.include_usage = reader_.boolean(*options, "include_usage").value_or(false);
    reader_.boolean(*options, "include_obfuscation");
    if (!request_.stream)
      reader_.refuse("stream_options", "invalid_value",
                     "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }

  void braid() {
    // A microsecond at least: nothing could be in time for 0.
    if (const auto ms = reader_.decimal(kRoot, "deadline_ms", 0.001, kMaxDeadlineMs))
      request_.deadline = from_seconds(*ms / 1000);
    const std::optional<JsonIndex> options = reader_.object(kRoot, "braid");
    if (!options) return;
    static constexpr std::array<std::string_view, 2> kKeys = {"session", "at_us"};
    reader_.only(*options, kKeys);
    if (const auto session = reader_.string(*options, "session", kMaxSession)) {
      if (session->empty())  // a client that lost the id would be answered without what its session saw
        reader_.refuse("braid.session", "empty_string",
                       "Invalid 'braid.session': empty string. Name a session, or leave it out.");
      request_.braid.session = *session;
    }
    request_.braid.at_us = reader_.integer(*options, "at_us", 0, kMaxTimeUs);
  }

  // What would give another answer than was asked for.
  void impossible() {
    if (const auto n = reader_.integer(kRoot, "n", 1, 128); n && *n != 1)
      reader_.refuse("n", "unsupported_value",
                     fmt::format("Unsupported value: 'n' is {}; only 1 is supported.", *n));
    if (const auto modalities = reader_.array(kRoot, "modalities"))
      for (JsonIndex at = *modalities + 1; at < reader_.node(*modalities).end; at = reader_.node(at).end)
        if (reader_.is(at, Kind::kString, "a string") && reader_.node(at).text != "text")
          reader_.refuse(at, "unsupported_value",
                         "Only text comes out of this model; leave 'modalities' out.");
    for (const char* name : {"audio", "web_search_options", "moderation"})
      if (reader_.doc().member(kRoot, name))
        reader_.refuse(name, "unsupported_parameter", fmt::format("Unsupported parameter: '{}'.", name));
  }

  // What OpenAI knows and means nothing here; only its type is checked.
  void ignored() {
    for (const char* name : {"user", "service_tier", "safety_identifier", "prompt_cache_key",
                             "prompt_cache_retention", "reasoning_effort", "verbosity"})
      reader_.string(kRoot, name, kMaxIgnored);
    for (const char* name : {"metadata", "prediction", "prompt_cache_options"}) reader_.object(kRoot, name);
    reader_.boolean(kRoot, "store");
  }

  FieldReader reader_;
  const ChatLimits& limits_;
  ChatRequest request_;
};

}  // namespace

Parsed<ChatRequest> parse_chat(std::string_view body, const ChatLimits& limits) {
  const auto doc = parse_object(body, limits.body_bytes, {limits.values, limits.depth});
  if (!doc) return tl::unexpected(doc.error());
  return RequestReader(*doc, limits).read();
}

}  // namespace braid::openai
