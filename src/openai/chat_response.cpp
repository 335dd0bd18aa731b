#include "braid/openai/chat_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "account.h"
#include "json_out.h"

namespace braid::openai {

namespace {

constexpr double kVeryUnlikely = -9999;  // OpenAI's stand-in for minus infinity

void append_head(JsonOut& out, const AnswerHead& head, std::string_view object) {
  out.name("id").string(head.id).name("object").string(object).name("created").integer(head.created);
  out.name("model").string(head.model).name("system_fingerprint").string_or_null(head.system_fingerprint);
}

// Members of an open object.
void append_chance(JsonOut& out, const TokenChance& chance) {
  out.name("token").string(chance.bytes);
  out.name("logprob").real(std::isfinite(chance.logprob) ? chance.logprob : kVeryUnlikely);
  out.name("bytes").begin_array();
  for (const char byte : chance.bytes) out.integer(static_cast<unsigned char>(byte));
  out.end_array();
}

void append_logprobs(JsonOut& out, const std::vector<TokenLogprob>& tokens) {
  out.begin_object().name("content").begin_array();
  for (const TokenLogprob& token : tokens) {
    out.begin_object();
    append_chance(out, token.chosen);
    out.name("top_logprobs").begin_array();
    for (const TokenChance& chance : token.top) {
      out.begin_object();
      append_chance(out, chance);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().name("refusal").null().end_object();
}

void append_usage(JsonOut& out, const Usage& usage) {
  out.begin_object().name("prompt_tokens").integer(usage.prompt);
  out.name("completion_tokens").integer(usage.completion);
  out.name("total_tokens").integer(usage.prompt + usage.completion);
  out.name("prompt_tokens_details").begin_object().name("cached_tokens").integer(usage.cached);
  out.name("audio_tokens").integer(usage.audio).name("image_tokens").integer(usage.image);
  out.name("text_tokens").integer(usage.text).end_object();
  out.name("completion_tokens_details").begin_object().name("reasoning_tokens").integer(0);
  out.name("audio_tokens").integer(0).name("accepted_prediction_tokens").integer(0);
  out.name("rejected_prediction_tokens").integer(0).end_object().end_object();
}

// Members of an open object.
void append_call(JsonOut& out, const ToolCall& call) {
  out.name("id").string(call.id).name("type").string("function").name("function").begin_object();
  out.name("name").string(call.name).name("arguments").string(call.arguments).end_object();
}

void append_braid(JsonOut& out, const std::optional<Account>& account) {
  if (!account) return;
  out.name("braid").begin_object();
  append_account(out, *account);
  out.end_object();
}

void append_message(JsonOut& out, const Completion& completion) {
  out.name("message").begin_object().name("role").string("assistant").name("content");
  // Clients take null for "only tool calls".
  if (completion.content.empty() && !completion.tool_calls.empty())
    out.null();
  else
    out.string(completion.content);
  out.name("refusal").null();
  if (!completion.tool_calls.empty()) {
    out.name("tool_calls").begin_array();
    for (const ToolCall& call : completion.tool_calls) {
      out.begin_object();
      append_call(out, call);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void append_model(JsonOut& out, const ModelInfo& model) {
  out.begin_object().name("id").string(model.id).name("object").string("model");
  out.name("created").integer(model.created).name("owned_by").string(model.owned_by).end_object();
}

}  // namespace

std::string make_id(std::string_view prefix, std::uint64_t high, std::uint64_t low) {
  return fmt::format("{}{:016x}{:016x}", prefix, high, low);
}

std::string print_completion(const Completion& completion) {
  JsonOut out;
  out.begin_object();
  append_head(out, completion.head, "chat.completion");
  out.name("choices").begin_array().begin_object().name("index").integer(0);
  append_message(out, completion);
  out.name("logprobs");
  if (completion.logprobs)
    append_logprobs(out, *completion.logprobs);
  else
    out.null();
  out.name("finish_reason").string(to_string(completion.finish)).end_object().end_array();
  out.name("usage");
  append_usage(out, completion.usage);
  append_braid(out, completion.account);
  out.end_object();
  return out.take();
}

ChunkPrinter::ChunkPrinter(const AnswerHead& head, bool include_usage)
    : closing_(include_usage ? R"(,"usage":null})" : "}") {
  JsonOut out;
  out.begin_object();
  append_head(out, head, "chat.completion.chunk");
  opening_ = out.take() + R"(,"choices":[)";
}

std::string ChunkPrinter::choice(std::string_view delta, std::string_view logprobs, std::string_view finish,
                                 std::string_view rest) const {
  return fmt::format(R"({}{{"index":0,"delta":{{{}}},"logprobs":{},"finish_reason":{}}}]{}{})", opening_,
                     delta, logprobs, finish, rest, closing_);
}

std::string ChunkPrinter::role() const {
  return choice(R"("role":"assistant","content":"","refusal":null)", "null", "null");
}

std::string ChunkPrinter::text(std::string_view text, const std::vector<TokenLogprob>& logprobs) const {
  std::string delta = R"("content":)";
  append_quoted(delta, text);
  if (logprobs.empty()) return choice(delta, "null", "null");
  JsonOut out;
  append_logprobs(out, logprobs);
  return choice(delta, out.take(), "null");
}

std::string ChunkPrinter::tool_call(int index, const ToolCall& call) const {
  JsonOut out;
  out.name("tool_calls").begin_array().begin_object().name("index").integer(index);
  append_call(out, call);
  out.end_object().end_array();
  return choice(out.take(), "null", "null");
}

std::string ChunkPrinter::last(Finish finish, const std::optional<Account>& account) const {
  JsonOut out;
  append_braid(out, account);
  const std::string braid = out.take();
  return choice("", "null", fmt::format("\"{}\"", to_string(finish)), braid.empty() ? braid : "," + braid);
}

std::string ChunkPrinter::usage(const Usage& usage) const {
  JsonOut out;
  append_usage(out, usage);
  return fmt::format(R"({}],"usage":{}}})", opening_, out.take());
}

std::string print_model(const ModelInfo& model) {
  JsonOut out;
  append_model(out, model);
  return out.take();
}

std::string print_models(const std::vector<ModelInfo>& models) {
  JsonOut out;
  out.begin_object().name("object").string("list").name("data").begin_array();
  for (const ModelInfo& model : models) append_model(out, model);
  out.end_array().end_object();
  return out.take();
}

}  // namespace braid::openai
