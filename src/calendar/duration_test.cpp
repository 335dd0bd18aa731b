#include "braid/calendar/duration.h"

#include <gtest/gtest.h>

namespace braid::calendar {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kHour = 3'600'000 * kMs;

struct Case {
  const char* text;
  std::int32_t months, days;
  std::int64_t ns;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }

class Durations : public ::testing::TestWithParam<Case> {};

TEST_P(Durations, AreExact) {
  const auto duration = parse_duration(GetParam().text);
  ASSERT_TRUE(duration) << duration.error().message;
  EXPECT_EQ(duration->months, GetParam().months);
  EXPECT_EQ(duration->days, GetParam().days);
  EXPECT_EQ(duration->time.count(), GetParam().ns);
}

INSTANTIATE_TEST_SUITE_P(
    All, Durations,
    ::testing::Values(Case{"PT1.2S", 0, 0, 1200 * kMs}, Case{"PT1,2S", 0, 0, 1200 * kMs},
                      Case{"PT72H", 0, 0, 72 * kHour}, Case{"P2Y10M15DT10H20M30S", 34, 15, 37'230'000 * kMs},
                      Case{"P6W", 0, 42, 0}, Case{"P1M", 1, 0, 0}, Case{"PT1M", 0, 0, 60'000 * kMs},
                      Case{"P1Y1W", 12, 7, 0}, Case{"P0.5Y", 6, 0, 0}, Case{"P0.5D", 0, 0, 12 * kHour},
                      Case{"P1.5W", 0, 7, 84 * kHour}, Case{"PT0.5H", 0, 0, kHour / 2},
                      Case{"PT36H", 0, 0, 36 * kHour}, Case{"P0D", 0, 0, 0}, Case{"PT0.000000001S", 0, 0, 1},
                      Case{"PT9000000000S", 0, 0, 9'000'000'000'000 * kMs},
                      Case{"P0003-06-04T12:30:05", 42, 4, 45'005'000 * kMs}, Case{"P0001-00-00", 12, 0, 0}));

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "P",
                           "PT",
                           "P1",
                           "P1S",
                           "PT1D",
                           "P1YT",
                           "P1M1Y",
                           "P1D1D",
                           "P1.5DT1H",
                           "PT1.S",
                           "PT.5S",
                           "P-1D",
                           "-P1D",
                           "1D",
                           "P1DT1H ",
                           "PT1H1H",
                           "P1D T1H",
                           "p1d",
                           "P0003-13-04",
                           "P0003-06-31",
                           "P0003-06-04T12:30:05Z",
                           "P0003-06-04T25:00:00",
                           "PTT1S"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, ErrorCode::kBadInput) << text;
    EXPECT_NE(duration.error().message.find("; expected "), std::string::npos) << duration.error().message;
  }
  EXPECT_EQ(parse_duration("P0.1Y").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(parse_duration("P0.5M").error().code, ErrorCode::kUnsupported);
}

TEST(Duration, SaysWhatIsTooLong) {
  for (const char* text : {"P291Y", "P290Y1M", "P99999999999999999999D", "PT9223372036854775807S", "P200000D",
                           "PT2540400H1M", "PT2540000H9000000000S", "P0290-01-01", "P16000W"})
    EXPECT_EQ(parse_duration(text).error().code, ErrorCode::kLimit) << text;
}

}  // namespace
}  // namespace braid::calendar
