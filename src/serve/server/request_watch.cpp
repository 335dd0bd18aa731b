#include "server/request_watch.h"

#include <fmt/format.h>

#include <utility>

namespace braid::serve {

RequestWatch::RequestWatch(Observers observers, std::optional<std::string_view> traceparent)
    : observers_(observers) {
  if (!observers_.tracing) return;
  if (traceparent) parent_ = openai::parse_traceparent(*traceparent);
  traced_ = observers_.tracing->wants(parent_);
}

void RequestWatch::shown(SteadyTime now) {
  if (!observers_.metrics) return;
  if (last_shown_) observers_.metrics->token_gap(now - *last_shown_);
  last_shown_ = now;
}

void RequestWatch::record(const RequestFacts& facts, RequestSpan span, SteadyTime now) const {
  span.name = fmt::format("{} {}", facts.operation, facts.model);
  span.parent = parent_;
  span.begin = facts.arrived;
  span.end = now;
  span.attributes.emplace_back("gen_ai.operation.name", facts.operation);
  span.attributes.emplace_back("gen_ai.provider.name", std::string("braid"));
  span.attributes.emplace_back("gen_ai.request.model", facts.model);
  if (!facts.response_id.empty()) span.attributes.emplace_back("gen_ai.response.id", facts.response_id);
  if (!facts.session.empty()) span.attributes.emplace_back("gen_ai.conversation.id", facts.session);
  observers_.tracing->record(span);
}

void RequestWatch::ended(const RequestFacts& facts, FinishReason finish, const openai::Account& account,
                         const openai::Usage& usage, SteadyTime now) const {
  if (observers_.metrics && facts.session.empty()) {
    AnswerCounts counts;
    counts.finish = finish;
    counts.verdict = account.verdict;
    counts.wall = account.wall;
    counts.ttft = account.ttft;
    counts.freshness = account.freshness;
    counts.stages = account.stages;
    counts.prompt_tokens = usage.prompt;
    counts.cached_tokens = usage.cached;
    counts.answer_tokens = usage.completion;
    observers_.metrics->answered(counts);
  }
  if (!traced_) return;
  RequestSpan span;
  span.stages = account.stages;
  span.attributes.emplace_back("gen_ai.usage.input_tokens", usage.prompt);
  span.attributes.emplace_back("gen_ai.usage.output_tokens", usage.completion);
  span.attributes.emplace_back("braid.finish_reason", std::string(to_string(finish)));
  span.attributes.emplace_back("braid.verdict", std::string(to_string(account.verdict)));
  if (account.ttft)
    span.attributes.emplace_back("gen_ai.server.time_to_first_token", to_seconds(*account.ttft));
  if (account.freshness) span.attributes.emplace_back("braid.freshness_ms", to_ms(*account.freshness));
  record(facts, std::move(span), now);
}

void RequestWatch::failed(const RequestFacts& facts, const Error& error, SteadyTime now) const {
  if (observers_.metrics && facts.session.empty()) {
    AnswerCounts counts;
    counts.finish = FinishReason::kError;
    observers_.metrics->answered(counts);
  }
  if (!traced_) return;
  RequestSpan span;
  span.error = error.message;
  span.attributes.emplace_back("error.type", std::string(to_string(error.code)));
  record(facts, std::move(span), now);
}

}  // namespace braid::serve
