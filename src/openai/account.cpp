#include "account.h"

#include <array>

namespace braid::openai {

const char* to_string(Finish finish) {
  static constexpr std::array<const char*, 4> kNames = {"stop", "length", "tool_calls", "content_filter"};
  return kNames[static_cast<std::size_t>(finish)];
}

void append_account(JsonOut& out, const Account& account) {
  out.name("ttft_ms").ms(account.ttft).name("wall_ms").ms(account.wall);
  out.name("freshness_ms").ms(account.freshness).name("stages_ms").begin_object();
  for (std::size_t i = 0; i < kStageCount; ++i)
    out.name(to_string(static_cast<Stage>(i))).ms(account.stages.by_stage[i]);
  out.end_object().name("verdict").string(braid::to_string(account.verdict));
  out.name("degraded").begin_array();
  for (const std::string& rung : account.degraded) out.string(rung);
  out.end_array().name("deadline_ms").ms(account.deadline);
  out.name("window").begin_object();
  out.name("from_us").integer(to_us(account.window_from)).name("to_us").integer(to_us(account.window_to));
  out.name("chunks").integer(account.window_chunks).name("tokens").integer(account.window_tokens);
  out.name("evicted_chunks").integer(account.window_evicted_chunks);
  out.name("sources").begin_object();
  for (const AccountSource& source : account.window_sources) {
    out.any_name(source.name).begin_object().name("chunks").integer(source.chunks);
    out.name("age_ms").ms(source.age).name("error_bound_ms").ms(source.error_bound);
    out.name("missing").boolean(source.chunks == 0).end_object();
  }
  out.end_object().end_object();
  out.name("evidence").begin_array();
  for (const AccountEvidence& one : account.evidence) {
    out.begin_object().name("record").integer(one.record);
    out.name("time").string(one.time).name("source").string(one.source).end_object();
  }
  out.end_array();
}

}  // namespace braid::openai
