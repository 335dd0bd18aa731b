#include "server/tracing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <mutex>
#include <vector>

#include "braid/base/virtual_clock.h"
#include "server/request_watch.h"

namespace braid::serve {
namespace {

namespace json = boost::json;

constexpr const char* kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// A collector that answers `status`, or not at all.
class TracingTest : public testing::Test {
 protected:
  Tracing::Send collector() {
    return [this](net::ClientRequest request, net::Client::Done done) {
      std::lock_guard lock(mutex);
      posts.push_back(std::move(request));
      if (status == 0) return;
      net::ClientResponse response;
      response.status = status;
      done(response);
    };
  }
  RequestSpan span() {
    RequestSpan made;
    made.name = "chat nano";
    made.begin = clock.now() - Milliseconds(30);
    made.end = clock.now();
    made.stages[Stage::kIngest] = Milliseconds(10);
    made.stages[Stage::kDecode] = Milliseconds(20);
    return made;
  }
  static json::array spans_of(const net::ClientRequest& post) {
    return json::parse(post.body).at_pointer("/resourceSpans/0/scopeSpans/0/spans").as_array();
  }

  VirtualClock clock;
  std::mutex mutex;
  int status = 200;
  std::vector<net::ClientRequest> posts;
  TracingOptions options{.otlp_url = "http://collector:4318/"};
};

TEST_F(TracingTest, ARequestIsASpanWithItsStagesAsChildren) {
  Tracing tracing(options, clock, "1.0", collector());
  RequestSpan made = span();
  made.parent = openai::parse_traceparent(kParent);
  made.attributes.emplace_back("gen_ai.request.model", std::string("na\"no"));
  made.attributes.emplace_back("gen_ai.usage.input_tokens", std::int64_t{7});
  tracing.record(std::move(made));
  clock.sleep_for(options.flush_interval + Milliseconds(1));
  ASSERT_EQ(posts.size(), 1U);
  EXPECT_EQ(posts[0].url, "http://collector:4318/v1/traces");
  const json::array spans = spans_of(posts[0]);
  ASSERT_EQ(spans.size(), 3U);
  const json::object& request = spans[0].as_object();
  EXPECT_EQ(request.at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(request.at("parentSpanId"), "00f067aa0ba902b7");
  EXPECT_EQ(request.at("kind"), 2);
  EXPECT_EQ(request.at("attributes").at_pointer("/0/value/stringValue"), "na\"no");
  EXPECT_EQ(request.at("attributes").at_pointer("/1/value/intValue"), "7");
  EXPECT_EQ(spans[1].at("name"), "ingest");
  EXPECT_EQ(spans[1].at("startTimeUnixNano"), request.at("startTimeUnixNano"));
  EXPECT_EQ(spans[1].at("endTimeUnixNano"), spans[2].at("startTimeUnixNano"));
  EXPECT_EQ(spans[2].at("endTimeUnixNano"), request.at("endTimeUnixNano"));
  for (int i : {1, 2}) {
    EXPECT_EQ(spans[i].at("traceId"), request.at("traceId"));
    EXPECT_EQ(spans[i].at("parentSpanId"), request.at("spanId"));
  }
  EXPECT_EQ(tracing.counts().sent, 1U);
}

TEST_F(TracingTest, ACollectorThatRefusesCostsSpansThatAreCounted) {
  status = 503;
  Tracing tracing(options, clock, "1.0", collector());
  tracing.record(span());
  clock.sleep_for(options.flush_interval + Milliseconds(1));
  EXPECT_EQ(tracing.counts().dropped, 1U);
}

TEST_F(TracingTest, ACollectorThatIsSilentHoldsNoMoreThanTheBound) {
  status = 0;
  options.max_spans = 16;
  Tracing tracing(options, clock, "1.0", collector());
  for (int i = 0; i < 200; ++i) {
    tracing.record(span());
    clock.sleep_for(Milliseconds(100));
  }
  const TracingCounts counts = tracing.counts();
  EXPECT_EQ(counts.waiting, 16U);
  EXPECT_LE(posts.size(), 5U);
  EXPECT_GT(counts.dropped, 50U);
}

TEST_F(TracingTest, WhatWaitsIsSentAtTheEnd) {
  { Tracing(options, clock, "1.0", collector()).record(span()); }
  EXPECT_EQ(posts.size(), 1U);
}

TEST_F(TracingTest, TheSenderDecidesWhetherItIsRecorded) {
  options.sample_ratio = 0;
  Tracing tracing(options, clock, "1.0", collector());
  EXPECT_FALSE(tracing.wants(std::nullopt));
  EXPECT_TRUE(tracing.wants(openai::parse_traceparent(kParent)));
  std::string unsampled = kParent;
  unsampled.back() = '0';
  options.sample_ratio = 1;
  Tracing all(options, clock, "1.0", collector());
  EXPECT_TRUE(all.wants(std::nullopt));
  EXPECT_FALSE(all.wants(openai::parse_traceparent(unsampled)));
}

TEST_F(TracingTest, WithoutACollectorNothingIsRecorded) {
  options.otlp_url.clear();
  Tracing tracing(options, clock, "1.0", collector());
  EXPECT_FALSE(tracing.wants(openai::parse_traceparent(kParent)));
  tracing.record(span());
  EXPECT_EQ(tracing.counts().waiting, 0U);
}

TEST_F(TracingTest, ARequestThatFailedSaysWhy) {
  Metrics metrics({"1", "nano", "CPU"});
  Tracing tracing(options, clock, "1.0", collector());
  RequestWatch watch({&metrics, &tracing}, kParent);
  watch.failed({"chat", "chatcmpl-1", "nano", "", clock.now()}, {ErrorCode::kFull, "64 requests wait"},
               clock.now());
  clock.sleep_for(options.flush_interval + Milliseconds(1));
  ASSERT_EQ(posts.size(), 1U);
  const json::value request = spans_of(posts[0])[0];
  EXPECT_EQ(request.at_pointer("/status/code"), 2);
  EXPECT_EQ(request.at_pointer("/status/message"), "64 requests wait");
  EXPECT_THAT(metrics.text({}), testing::HasSubstr("finished_reason=\"error\",model_name=\"nano\"} 1\n"));
}

TEST(TracesUrl, TheBaseOrTheWholeAddressWillDo) {
  EXPECT_EQ(traces_url("http://a:4318"), "http://a:4318/v1/traces");
  EXPECT_EQ(traces_url("http://a:4318/v1/traces/"), "http://a:4318/v1/traces");
}

}  // namespace
}  // namespace braid::serve
