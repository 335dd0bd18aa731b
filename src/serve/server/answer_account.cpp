#include "server/answer_account.h"

namespace braid::serve {

openai::Finish finish_of(FinishReason reason) {
  return reason == FinishReason::kLength ? openai::Finish::kLength : openai::Finish::kStop;
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
  account.window_from = answer.window.from;
  account.window_to = answer.window.to;
  account.window_chunks = answer.window.chunks;
  account.window_tokens = answer.window.tokens;
  account.window_evicted_chunks = answer.window.evicted_chunks;
  for (const Evidence& one : answer.evidence) account.evidence.push_back({one.record, one.time, one.source});
  for (const SourceView& source : answer.window.sources) {
    openai::AccountSource& seen = account.window_sources.emplace_back();
    seen.name = source.name;
    seen.chunks = source.chunks;
    if (source.chunks == 0) continue;
    seen.age = answer.asked_at - source.newest;
    seen.error_bound = source.error_bound;
  }
  return account;
}

}  // namespace braid::serve
