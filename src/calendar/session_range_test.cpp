#include "braid/calendar/session_range.h"

#include <gtest/gtest.h>

namespace braid::calendar {
namespace {

UtcTime time_of(const char* text) { return parse_time_range(text)->from; }

TEST(SessionRange, CountsFromTheSessionsStart) {
  const UtcTime start = time_of("2026-11-29T10:00:00Z");
  const auto range = parse_session_range("2026-11-29T11:00:02.5+01:00/PT1.2S", start);
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(to_us(range->from), 2'500'000);
  EXPECT_EQ(to_us(range->to), 3'700'000);
  EXPECT_EQ(range->utc.from, time_of("2026-11-29T10:00:02.5Z"));
}

TEST(SessionRange, AsksWhatWasBeforeTheQuestion) {
  const UtcTime start = time_of("2026-11-29T10:00:00Z");
  const Asker asker{.now = utc_time(SessionTime(Milliseconds(7000)), start)};
  const auto range = parse_session_range("PT1.2S", start, asker);
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_EQ(to_us(range->from), 5'800'000);
  EXPECT_EQ(to_us(range->to), 7'000'000);
}

TEST(SessionRange, KeepsOpenEndsOpenAndWhatLiesOutsideApart) {
  const UtcTime start = time_of("2026-11-29T10:00:00Z");
  const auto open = parse_session_range("2026-11-29T10:00:01Z/..", start);
  ASSERT_TRUE(open);
  EXPECT_EQ(to_us(open->from), 1'000'000);
  EXPECT_EQ(open->to, SessionTime::max());
  const auto before = parse_session_range("2025", start);
  ASSERT_TRUE(before);
  EXPECT_LT(before->to, kSessionStart);
  EXPECT_FALSE(parse_session_range("soon", start));
}

TEST(SessionRange, StopsAtTheEndsOfWhatCanBeHeld) {
  EXPECT_EQ(session_time(time_of("1700"), time_of("2200")), SessionTime::min());
  EXPECT_EQ(session_time(time_of("2200"), time_of("1700")), SessionTime::max());
  EXPECT_EQ(utc_time(SessionTime::max(), time_of("2026")), UtcTime::max());
  EXPECT_EQ(utc_time(SessionTime::min(), time_of("1960")), UtcTime::min());
}

}  // namespace
}  // namespace braid::calendar
