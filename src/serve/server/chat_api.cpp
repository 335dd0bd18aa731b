#include "server/chat_api.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "server/answer_account.h"
#include "server/api_errors.h"
#include "server/chat_reply.h"
#include "server/live_sessions.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

// Read where they come: a tenth of a millisecond at most, where another thread's waking costs more.
constexpr std::size_t kReadAtOnce = 16U << 10;

openai::AnswerHead new_head(const std::string& model) {
  openai::AnswerHead head;
  head.id = new_id("chatcmpl-");
  head.created = unix_seconds();
  head.model = model;
  head.system_fingerprint = "braid";
  return head;
}

/// Milliseconds from now, as a gateway hands its own deadline on.
tl::expected<std::optional<Nanoseconds>, openai::ApiError> header_deadline(const net::Request& request) {
  const auto text = request.header("x-request-deadline");
  if (!text) return std::nullopt;
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), ms);
  if (error != std::errc() || end != text->data() + text->size() || ms < 1 || ms > 86'400'000)
    return tl::unexpected(openai::ApiError{
        400, fmt::format("x-request-deadline is '{}'; expected milliseconds from now, 1 to 86400000", *text),
        "invalid_request_error", "x-request-deadline", ""});
  return Milliseconds(ms);
}

/// The last user message's text: what is asked of a session, whose timeline is the context.
std::string question_text(const openai::ChatRequest& chat) {
  std::string text;
  for (const openai::Part& part : chat.messages.back().content)
    if (part.kind == openai::Part::Kind::kText) text += (text.empty() ? "" : "\n") + part.text;
  return text;
}

openai::Usage usage_of(const ChatEnd& end) {
  openai::Usage usage;
  usage.prompt = end.prompt_rows;
  usage.completion = end.answer_tokens;
  usage.cached = end.cached_rows;
  return usage;
}

/// A request while it is answered.
struct Call {
  ChatReply reply;
  openai::Usage prompt;
  std::shared_ptr<const engine::ChatParser> parser;
};

std::vector<openai::TokenLogprob> logprobs_of(const std::vector<TokenChances>& tokens,
                                              const engine::Tokenizer& tokenizer) {
  std::vector<openai::TokenLogprob> logprobs;
  for (const TokenChances& made : tokens) {
    openai::TokenLogprob one;
    one.chosen = {tokenizer.piece(made.token), static_cast<double>(made.chances.chosen)};
    for (const decode::Chance& chance : made.chances.top)
      one.top.push_back({tokenizer.piece(chance.token), static_cast<double>(chance.logprob)});
    logprobs.push_back(std::move(one));
  }
  return logprobs;
}

/// Takes the calls out of the text. One that was cut short stays text.
void take_calls(const engine::ChatParser& parser, ReplyEnd& reply) {
  auto parsed = parser.parse(reply.text);
  if (!parsed) return;
  reply.text = std::move(parsed->content);
  for (engine::ChatToolCall& call : parsed->tool_calls)
    reply.tool_calls.push_back({call.id.empty() ? new_id("call_") : std::move(call.id), std::move(call.name),
                                std::move(call.arguments)});
}

ReplyEnd reply_end(ChatEnd end, const Call& call, SteadyTime arrived) {
  const openai::Usage& prompt = call.prompt;
  ReplyEnd reply;
  reply.from = arrived;
  reply.until = end.last_token;
  reply.finish = end.finish;
  reply.error = std::move(end.error);
  reply.usage = usage_of(end);
  reply.usage.image = prompt.image;
  reply.usage.audio = prompt.audio;
  reply.usage.text = end.prompt_rows - prompt.image - prompt.audio;
  reply.text = std::move(end.text);
  reply.stages = end.stages;
  reply.first_token = end.first_token;
  if (call.parser) take_calls(*call.parser, reply);
  return reply;
}

ReplyEnd reply_end(const Answer& answer) {
  ReplyEnd reply;
  reply.finish = answer.finish;
  reply.error = answer.error;
  reply.text = answer.text;
  reply.usage.prompt = answer.prompt_tokens;
  reply.usage.cached = std::min(answer.window.tokens, answer.prompt_tokens);
  reply.usage.completion = answer.answer_tokens;
  reply.from = answer.asked;
  reply.until = answer.asked + answer.stages.sum();
  reply.stages = answer.stages;
  reply.first_token = answer.first_token;
  reply.account = account_of(answer);
  return reply;
}

}  // namespace

ChatApi::ChatApi(ChatService& service, MediaPrompts& media, RemoteMedia& remote, LiveSessions& sessions,
                 Workers& workers, Clock& clock, const engine::Engine& engine, Observers observers)
    : service_(service),
      media_(media),
      remote_(remote),
      sessions_(sessions),
      workers_(workers),
      clock_(clock),
      tokenizer_(*engine.tokenizer),
      model_(engine.info.name),
      observers_(observers) {}

ReplyForm ChatApi::form_of(const openai::ChatRequest& chat, const net::Request& request,
                           SteadyTime arrived) const {
  ReplyForm form;
  form.head = new_head(chat.model.empty() ? model_ : chat.model);
  form.stream = chat.stream;
  form.include_usage = chat.include_usage;
  form.arrived = arrived;
  form.deadline = chat.deadline;
  form.session = chat.braid.session;
  form.watch = RequestWatch(observers_, request.header("traceparent"));
  return form;
}

void ChatApi::handle(net::Request request, net::Exchange exchange) {
  const SteadyTime arrived = clock_.now();
  if (request.body.size() <= kReadAtOnce) return answer(std::move(request), std::move(exchange), arrived);
  // Reading many megabytes of base64 would hold up everybody on this io thread.
  run_on(workers_, std::move(request), std::move(exchange),
         [this, arrived](net::Request taken, net::Exchange reply) {
           answer(std::move(taken), std::move(reply), arrived);
         });
}

void ChatApi::answer(net::Request request, net::Exchange exchange, SteadyTime arrived) {
  auto chat = openai::parse_chat(request.body);
  if (!chat) return respond_error(exchange, chat.error());
  request.body = {};
  const auto header = header_deadline(request);
  if (!header) return respond_error(exchange, header.error());
  if (!chat->deadline) chat->deadline = *header;
  ReplyForm form = form_of(*chat, request, arrived);
  if (!chat->braid.session.empty()) {
    auto live = sessions_.find(chat->braid.session, request.key_name);
    if (!live) return respond_error(exchange, no_such_session(chat->braid.session, "braid.session"));
    return answer_from_session(std::move(*chat), std::move(exchange), *live, std::move(form));
  }
  answer_by_itself(std::move(*chat), std::move(exchange), std::move(form));
}

void ChatApi::answer_by_itself(openai::ChatRequest chat, net::Exchange exchange, ReplyForm form) {
  const SteadyTime arrived = form.arrived;
  form.logprobs = chat.top_logprobs.has_value();
  form.hold_text = !chat.tools.empty() && chat.tool_choice.kind != openai::ToolChoice::Kind::kNone;
  auto call =
      std::make_shared<Call>(Call{ChatReply(std::move(exchange), std::move(form), clock_), {}, nullptr});
  const auto request = std::make_shared<openai::ChatRequest>(std::move(chat));
  const auto made = std::make_shared<ChatJob>();
  ChatJob& job = *made;
  job.sampling = sampling_of(request->sampling);
  job.stops = request->stops;
  job.max_tokens = request->max_tokens;
  job.top_logprobs = request->top_logprobs;
  job.make = [this, request] { return make_chat_prompt(*request, tokenizer_, media_); };
  job.arrived = arrived;
  job.on_begin = [call](const ChatPrompt& prompt) {
    call->prompt.image = prompt.image_rows;
    call->prompt.audio = prompt.audio_rows;
    call->parser = prompt.chat.parser;
    call->reply.begin();
  };
  job.sink.on_text = [this, call](const ShownText& shown) {
    call->reply.text(shown.text, logprobs_of(shown.tokens, tokenizer_));
  };
  job.sink.on_end = [call, arrived](ChatEnd end) {
    call->reply.end(reply_end(std::move(end), *call, arrived));
  };
  call->reply.on_gone([this, cancel = job.cancel] {
    cancel->cancel();
    service_.wake();
  });
  const auto has_left = [cancel = job.cancel] { return cancel->cancelled(); };
  remote_.fetch(request, has_left, [this, made, call](Status status) {
    if (status) status = service_.submit(std::move(*made));
    if (!status) call->reply.fail(status.error());
  });
}

void ChatApi::answer_from_session(openai::ChatRequest chat, net::Exchange exchange, LiveSession& live,
                                  ReplyForm form) {
  Question question;
  question.text = question_text(chat);
  if (question.text.empty())
    return respond_error(exchange, {400, "the last message has no text; it is the question to the session",
                                    "invalid_request_error", "messages", ""});
  question.now = !chat.braid.at_us;
  if (chat.braid.at_us) question.at = SessionTime(Microseconds(*chat.braid.at_us));
  question.deadline = chat.deadline;
  question.sampling = sampling_of(chat.sampling);
  question.stops = chat.stops;
  const int most = sessions_.session_options().max_answer_tokens;
  question.max_tokens = std::min(chat.max_tokens.value_or(most), most);
  auto reply = std::make_shared<ChatReply>(std::move(exchange), std::move(form), clock_);
  AskSink sink;
  sink.on_begin = [reply] { reply->begin(); };
  sink.on_text = [reply](const std::string& text) { reply->text(text); };
  sink.on_end = [reply](const Answer& answer) { reply->end(reply_end(answer)); };
  const auto id = live.ask(std::move(question), std::move(sink));
  if (!id) return reply->fail(id.error());
  reply->on_gone([this, session = live.id(), owner = live.owner(), asked = *id] {
    if (auto found = sessions_.find(session, owner)) found->cancel(asked);
  });
}

}  // namespace braid::serve
