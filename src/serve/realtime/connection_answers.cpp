#include <utility>

#include "realtime/connection.h"
#include "server/answer_account.h"

namespace braid::serve {

namespace {

using openai::RealtimeEnd;

RealtimeEnd::Kind kind_of(FinishReason finish) {
  switch (finish) {
    case FinishReason::kStop:
      return RealtimeEnd::Kind::kCompleted;
    case FinishReason::kLength:
      return RealtimeEnd::Kind::kLength;
    case FinishReason::kCancelled:
      return RealtimeEnd::Kind::kCancelled;
    case FinishReason::kError:
    case FinishReason::kShed:
      break;
  }
  return RealtimeEnd::Kind::kFailed;
}

RealtimeEnd failed(const Error& error) {
  RealtimeEnd end;
  end.kind = RealtimeEnd::Kind::kFailed;
  end.error = openai::to_api_error(error);
  return end;
}

openai::Usage usage_of(const Answer& answer) {
  openai::Usage usage;
  usage.prompt = answer.prompt_tokens;
  usage.completion = answer.answer_tokens;
  usage.cached = answer.window.tokens;
  return usage;
}

/// An answer that has been delivered.
void tell(const RequestWatch& watch, RequestFacts facts, const Answer& answer) {
  facts.arrived = answer.asked;
  const openai::Account account = account_of(answer);
  const SteadyTime end = answer.asked + account.wall;
  if (answer.error && answer.finish != FinishReason::kCancelled)
    watch.failed(facts, *answer.error, end);
  else
    watch.ended(facts, answer.finish, account, usage_of(answer), end);
}

RealtimeEnd cancelled() {
  RealtimeEnd end;
  end.kind = RealtimeEnd::Kind::kCancelled;
  return end;
}

}  // namespace

AskSink RealtimeConnection::sink_of(const RequestFacts& facts, const RequestWatch& watch) {
  const std::string& response = facts.response_id;
  const std::weak_ptr<RealtimeConnection> weak = weak_from_this();
  AskSink sink;
  sink.on_begin = [weak, response] {
    const auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock(self->mutex_);
    self->conversation_->response_begun(response);
  };
  sink.on_text = [weak, response](const std::string& text) {
    const auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock(self->mutex_);
    self->conversation_->response_text(response, text);
  };
  // Told of even where the client has gone.
  sink.on_end = [weak, facts, watch](const Answer& answer) {
    tell(watch, facts, answer);
    if (const auto self = weak.lock()) self->answered(facts.response_id, answer);
  };
  return sink;
}

void RealtimeConnection::ask(openai::RealtimeAsk ask, SessionTime at) {
  LiveSession* live = nullptr;  // lives for as long as its source's thread, which this is
  {
    std::lock_guard lock(mutex_);
    live = live_.get();
    if (live == nullptr) return;
    if (asked_.response == ask.response && asked_.cancelled) return ended(ask.response, cancelled());
  }
  Question question;
  question.text = std::move(ask.text);
  question.at = at;
  question.deadline = ask.deadline;
  question.max_tokens = ask.max_output_tokens.value_or(parts_.sessions.session_options().max_answer_tokens);
  const RequestFacts facts{"chat", ask.response, parts_.model.name, live->id(), parts_.clock.now()};
  const RequestWatch watch(parts_.observers, client_.traceparent);
  const auto id = live->ask(std::move(question), sink_of(facts, watch));
  if (!id) watch.failed(facts, id.error(), parts_.clock.now());
  std::lock_guard lock(mutex_);
  if (!id) return ended(ask.response, failed(id.error()));
  if (asked_.response != ask.response) return;
  asked_.id = *id;
  if (asked_.cancelled && live_) live_->cancel(*id, asked_.delivered);
}

void RealtimeConnection::answered(const std::string& response, const Answer& answer) {
  RealtimeEnd end;
  end.kind = kind_of(answer.finish);
  if (end.kind == RealtimeEnd::Kind::kFailed)
    end.error = openai::to_api_error(answer.error.value_or(Error{ErrorCode::kInternal, ""}));
  end.usage = usage_of(answer);
  end.account = account_of(answer);
  std::lock_guard lock(mutex_);
  ended(response, std::move(end));
}

void RealtimeConnection::ended(const std::string& response, RealtimeEnd end) {
  conversation_->response_ended(response, std::move(end));
  close_if_stopped();
}

}  // namespace braid::serve
