#include "server/answer_account.h"

namespace braid::serve {

openai::Finish finish_of(FinishReason reason) {
  return reason == FinishReason::kLength ? openai::Finish::kLength : openai::Finish::kStop;
}

void set_window(openai::Account& account, const WindowInfo& window, SessionTime asked_at) {
  account.window_from = window.from;
  account.window_to = window.to;
  account.window_chunks = window.chunks;
  account.window_tokens = window.tokens;
  account.window_evicted_chunks = window.evicted_chunks;
  for (const SourceView& source : window.sources) {
    openai::AccountSource& seen = account.window_sources.emplace_back();
    seen.name = source.name;
    seen.chunks = source.chunks;
    if (source.chunks == 0) continue;
    seen.age = asked_at - source.newest;
    seen.error_bound = source.error_bound;
  }
}

openai::Account account_of(const Answer& answer) {
  openai::Account account;
  if (answer.first_token) account.ttft = *answer.first_token - answer.asked;
  account.wall = answer.stages.sum();
  account.freshness = answer.freshness;
  account.stages = answer.stages;
  account.verdict = answer.verdict;
  account.degraded = answer.degraded;
  account.deadline = answer.deadline;
  set_window(account, answer.window, answer.asked_at);
  return account;
}

}  // namespace braid::serve
