#include <gtest/gtest.h>

#include "braid/serve/session_clocks.h"
#include "clocks/clock_report.h"

namespace braid::serve {
namespace {

constexpr sync::ClockOptions kMicroseconds{.tick_num = 1, .tick_den = 1'000'000};

SessionTime at(std::int64_t ms) { return SessionTime(Milliseconds(ms)); }

TEST(SessionClocks, OfOneNameThereIsOneClock) {
  SessionClocks clocks;
  const auto clock = clocks.open("cam", kMicroseconds);
  EXPECT_EQ(clock, clocks.open("cam", kMicroseconds));
  EXPECT_NE(clock, clocks.open("press", kMicroseconds));
}

TEST(SessionClocks, AreBoundedAndTheRefusedAreCounted) {
  SessionClocks clocks;
  for (std::size_t i = 0; i < SessionClocks::kMost; ++i)
    ASSERT_TRUE(clocks.open(std::to_string(i), kMicroseconds));
  EXPECT_FALSE(clocks.open("one more", kMicroseconds));
  EXPECT_TRUE(clocks.open("0", kMicroseconds));
  EXPECT_EQ(clocks.refused(), 1U);
}

TEST(SessionClocks, OnlyThoseThatStampedSomethingAreReported) {
  SessionClocks clocks;
  clocks.open("silent", kMicroseconds);
  clocks.open("cam", kMicroseconds)->observe(1'000'000, at(40));
  const auto report = clocks.report();
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0].name, "cam");
  EXPECT_EQ(report[0].report.packets, 1U);
}

TEST(SessionClocks, AnExchangeTellsHowLongThePathIs) {
  SessionClocks clocks;
  const auto clock = clocks.open("cam", kMicroseconds);
  // The sender's clock is 1,000 s ahead, each way takes 3 ms.
  const auto before = clock->observe(1'000'100'000, at(103));
  clocks.exchange({"cam", "other"}, kMicroseconds, {1'000'200'000, at(203), at(204), 1'000'207'000});
  Nanoseconds bound{};
  for (int i = 3; i < 60; ++i)
    bound = clock->observe(1'000'000'000 + i * 100'000, at(i * 100 + 3)).error_bound;
  EXPECT_GE(before.error_bound, Milliseconds(20));
  EXPECT_LT(bound, Milliseconds(5));
  EXPECT_NEAR(to_seconds(clock->map(1'000'300'000).at.time_since_epoch()), 0.3, 0.0031);
  EXPECT_EQ(clocks.report().size(), 1U) << "the other one stamped nothing";
}

TEST(ClockReport, IsReadAsItIsPrinted) {
  SessionClocks clocks;
  const auto clock = clocks.open("cam", kMicroseconds);
  for (int i = 0; i < 300; ++i) clock->observe(5'000'000 + i * 100'000, at(i * 100 + i % 7));
  clock->observe(5'000'000, at(40'000));
  const auto printed = print_clocks(clocks.report());
  const auto parsed = parse_clocks(printed);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(print_clocks(*parsed), printed);
  EXPECT_NE(clock_table(*parsed).find("cam"), std::string::npos);
}

TEST(ClockReport, OtherBytesAreRefused) {
  for (const char* text : {"", "{", "{}", R"({"data":[{}]})", R"({"data":[{"source":3}]})"})
    EXPECT_EQ(parse_clocks(text).error().code, ErrorCode::kBadInput) << text;
}

}  // namespace
}  // namespace braid::serve
