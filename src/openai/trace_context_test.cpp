#include "braid/openai/trace_context.h"

#include <gtest/gtest.h>

namespace braid::openai {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kSpan = "00f067aa0ba902b7";

TEST(Traceparent, ReadsAndPrintsTheSpecificationsExample) {
  const auto context = parse_traceparent("00-" + kTrace + "-" + kSpan + "-01");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_id[0], 0x4B);
  EXPECT_EQ(context->parent_id[7], 0xB7);
  EXPECT_TRUE(context->sampled);
  EXPECT_FALSE(context->random);
  EXPECT_EQ(print_traceparent(*context), "00-" + kTrace + "-" + kSpan + "-01");
}

TEST(Traceparent, KeepsTheFlagsItKnows) {
  EXPECT_EQ(print_traceparent(*parse_traceparent("00-" + kTrace + "-" + kSpan + "-ff")),
            "00-" + kTrace + "-" + kSpan + "-03");
  EXPECT_FALSE(parse_traceparent("00-" + kTrace + "-" + kSpan + "-00")->sampled);
}

TEST(Traceparent, TakesLaterVersions) {
  EXPECT_TRUE(parse_traceparent("cc-" + kTrace + "-" + kSpan + "-01"));
  EXPECT_TRUE(parse_traceparent("cc-" + kTrace + "-" + kSpan + "-01-"));
  EXPECT_TRUE(parse_traceparent("cc-" + kTrace + "-" + kSpan + "-01-what-the-future-holds"));
  EXPECT_TRUE(parse_traceparent(" 00-" + kTrace + "-" + kSpan + "-01\t"));
}

TEST(Traceparent, IgnoresWhatIsNone) {
  const std::string good = "00-" + kTrace + "-" + kSpan + "-01";
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_FALSE(parse_traceparent(good.substr(0, n))) << n;
    std::string changed = good;
    changed[n] = 'G';
    EXPECT_FALSE(parse_traceparent(changed)) << n;
  }
  for (const std::string& bad :
       {good + "-x", good + "0", "ff-" + kTrace + "-" + kSpan + "-01", "cc-" + kTrace + "-" + kSpan + "-01x",
        "00-" + std::string(32, '0') + "-" + kSpan + "-01",
        "00-" + kTrace + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kSpan + "-01", std::string(100, ' ')})
    EXPECT_FALSE(parse_traceparent(bad)) << bad;
}

}  // namespace
}  // namespace braid::openai
