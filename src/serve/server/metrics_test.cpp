#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

AnswerCounts an_answer() {
  AnswerCounts answer;
  answer.finish = FinishReason::kLength;
  answer.verdict = Verdict::kMet;
  answer.wall = Milliseconds(120);
  answer.ttft = Milliseconds(7);
  answer.stages[Stage::kPrefill] = Milliseconds(3);
  answer.stages[Stage::kDecode] = Milliseconds(117);
  answer.prompt_tokens = 30;
  answer.cached_tokens = 20;
  answer.answer_tokens = 5;
  return answer;
}

TEST(MetricsHistogram, ABucketHoldsWhatIsAtMostItsBound) {
  SecondsHistogram histogram;
  histogram.add(Microseconds(500));
  histogram.add(Microseconds(501));
  histogram.add(std::chrono::hours(1));
  EXPECT_EQ(histogram.counts()[0], 1U);
  EXPECT_EQ(histogram.counts()[1], 1U);
  EXPECT_EQ(histogram.counts().back(), 1U);
  EXPECT_NEAR(histogram.sum(), 3600.001001, 1e-6);
}

TEST(Metrics, AnAnswerIsCountedInAllItsParts) {
  Metrics metrics({"1.2", "nano", "CPU"});
  metrics.answered(an_answer());
  metrics.token_gap(Milliseconds(9));
  const std::string text = metrics.text({});
  EXPECT_THAT(text,
              HasSubstr("braid:request_success_total{finished_reason=\"length\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:verdicts_total{verdict=\"met\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:prompt_tokens_total{model_name=\"nano\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("braid:prompt_tokens_cached_total{model_name=\"nano\"} 20\n"));
  EXPECT_THAT(text, HasSubstr("braid:generation_tokens_total{model_name=\"nano\"} 5\n"));
  EXPECT_THAT(text,
              HasSubstr("braid:time_to_first_token_seconds_bucket{model_name=\"nano\",le=\"0.005\"} 0\n"));
  EXPECT_THAT(text,
              HasSubstr("braid:time_to_first_token_seconds_bucket{model_name=\"nano\",le=\"0.01\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:inter_token_latency_seconds_count{model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:stage_seconds_count{stage=\"prefill\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:stage_seconds_count{stage=\"encode\",model_name=\"nano\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("braid:build_info{version=\"1.2\",device=\"CPU\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes "));
  EXPECT_THAT(text, Not(HasSubstr("vllm:")));
}

TEST(Metrics, AFailedAnswerHasNoTimes) {
  Metrics metrics({"1", "nano", "CPU"});
  AnswerCounts answer = an_answer();
  answer.finish = FinishReason::kError;
  metrics.answered(answer);
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("{finished_reason=\"error\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:e2e_request_latency_seconds_count{model_name=\"nano\"} 0\n"));
}

TEST(Metrics, VllmsNamesAreGivenBesideOursOnDemand) {
  Metrics metrics({"1", "nano", "CPU", true});
  metrics.answered(an_answer());
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("\nvllm:generation_tokens_total{model_name=\"nano\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("\nvllm:time_to_first_token_seconds_count{model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nvllm:num_requests_waiting{model_name=\"nano\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("vllm:stage_seconds")));
}

TEST(Metrics, WhatIsPrunedIsCountedByReasonUpToABound) {
  Metrics metrics({"1", "nano", "CPU"});
  deliver::Perceived packet;
  packet.tokens = 16;
  metrics.perceived(packet);
  packet.kept = false;
  for (int i = 0; i < 1000; ++i) {
    packet.reason = "reason_" + std::to_string(i % 200);
    metrics.perceived(packet);
  }
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("braid:packets_kept_total{modality=\"vision\",model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{modality=\"vision\",reason=\"reason_7\",model_name=\"nano\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("braid:tokens_pruned_total{model_name=\"nano\"} 16000\n"));
  EXPECT_THAT(text, Not(HasSubstr("reason_199")));
}

TEST(Metrics, ASessionsEventsAreCounted) {
  VirtualClock clock;
  Metrics metrics({"1", "nano", "CPU"});
  const auto hear = meter_session(metrics, clock);
  const QuestionId id{3};
  hear(AnswerDelta{id, "I "});
  clock.sleep_for(Milliseconds(15));
  hear(AnswerDelta{id, "see."});
  Answer answer;
  answer.id = id;
  answer.answer_tokens = 2;
  hear(answer);
  hear(deliver::Fault{});
  deliver::Summary summary;
  summary.drops = {{"late", 2}};
  hear(summary);
  const std::string text = metrics.text({});
  EXPECT_THAT(text,
              HasSubstr("braid:inter_token_latency_seconds_bucket{model_name=\"nano\",le=\"0.01\"} 0\n"));
  EXPECT_THAT(text,
              HasSubstr("braid:inter_token_latency_seconds_bucket{model_name=\"nano\",le=\"0.02\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:generation_tokens_total{model_name=\"nano\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("braid:source_faults_total{model_name=\"nano\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("braid:session_drops_total{reason=\"late\",model_name=\"nano\"} 2\n"));
}

}  // namespace
}  // namespace braid::serve
