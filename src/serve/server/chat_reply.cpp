#include "server/chat_reply.h"

#include <iterator>
#include <utility>

#include "server/answer_account.h"
#include "server/api_errors.h"

namespace braid::serve {

namespace {

openai::Finish finish_word(const ReplyEnd& end) {
  if (!end.tool_calls.empty()) return openai::Finish::kToolCalls;
  return finish_of(end.finish);
}

}  // namespace

ChatReply::ChatReply(net::Exchange exchange, ReplyForm form, Clock& clock)
    : exchange_(std::move(exchange)),
      form_(std::move(form)),
      clock_(clock),
      printer_(form_.head, form_.include_usage) {}

void ChatReply::on_gone(std::function<void()> then) { exchange_.on_gone(std::move(then)); }

void ChatReply::begin() {
  if (!form_.stream) return;
  sse_.emplace(std::move(exchange_));
  send(printer_.role());
}

void ChatReply::send(const std::string& data) { sse_->event(data); }

void ChatReply::text(const std::string& piece, std::vector<openai::TokenLogprob> logprobs) {
  form_.watch.shown(clock_.now());
  if (sse_ && !form_.hold_text) return send(printer_.text(piece, logprobs));
  logprobs_.insert(logprobs_.end(), std::make_move_iterator(logprobs.begin()),
                   std::make_move_iterator(logprobs.end()));
}

RequestFacts ChatReply::facts() const {
  return {"chat", form_.head.id, form_.head.model, form_.session, form_.arrived};
}

openai::Account ChatReply::account(const ReplyEnd& end) const {
  openai::Account account = end.account;
  const SteadyTime now = clock_.now();
  account.wall = now - form_.arrived;
  account.ttft.reset();
  if (end.first_token) account.ttft = *end.first_token - form_.arrived;
  account.stages = end.stages;
  account.stages[Stage::kIngest] += end.from - form_.arrived;
  account.stages[Stage::kDeliver] += now - end.until;
  account.stages[Stage::kUnattributed] += account.wall - account.stages.sum();
  account.deadline = form_.deadline;
  account.verdict = Verdict::kNone;
  if (form_.deadline) account.verdict = account.wall <= *form_.deadline ? Verdict::kMet : Verdict::kLate;
  return account;
}

void ChatReply::end(ReplyEnd end) {
  if (end.error && end.finish != FinishReason::kCancelled) return fail(*end.error);
  openai::Account accounted = account(end);
  form_.watch.ended(facts(), end.finish, accounted, end.usage, clock_.now());
  if (!sse_) {
    openai::Completion completion;
    completion.head = form_.head;
    completion.finish = finish_word(end);
    completion.content = std::move(end.text);
    completion.tool_calls = std::move(end.tool_calls);
    if (form_.logprobs) completion.logprobs = std::move(logprobs_);
    completion.usage = end.usage;
    completion.account = std::move(accounted);
    return exchange_.respond(200, "application/json", openai::print_completion(completion));
  }
  if (form_.hold_text && !end.text.empty()) send(printer_.text(end.text, logprobs_));
  for (std::size_t i = 0; i < end.tool_calls.size(); ++i)
    send(printer_.tool_call(static_cast<int>(i), end.tool_calls[i]));
  send(printer_.last(finish_word(end), accounted));
  if (form_.include_usage) send(printer_.usage(end.usage));
  send(std::string(openai::kStreamEnd));
  sse_->finish();
}

void ChatReply::fail(const Error& error) {
  form_.watch.failed(facts(), error, clock_.now());
  if (!sse_) return respond_error(exchange_, openai::to_api_error(error));
  send(openai::print_error(openai::to_api_error(error)));
  sse_->finish();
}

}  // namespace braid::serve
