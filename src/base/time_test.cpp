#include "braid/base/time.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "braid/base/ids.h"

namespace braid {
namespace {

template <class A, class B>
concept Subtractable = requires(A a, B b) {
  a - b;
};

TEST(TimeTest, ClocksDoNotMix) {
  static_assert(Subtractable<SessionTime, SessionTime>);
  static_assert(!Subtractable<SessionTime, SteadyTime>);
  static_assert(!Subtractable<SourceTime, SessionTime>);
  static_assert(!std::is_convertible_v<SourceTime, SteadyTime>);
  static_assert(!std::is_same_v<SourceId, ChunkId>);
}

TEST(TimeTest, SecondsRoundToTheNearestNanosecondBothWays) {
  EXPECT_EQ(from_seconds(1.5), Milliseconds(1500));
  EXPECT_EQ(from_seconds(-0.25), Milliseconds(-250));
  EXPECT_EQ(from_seconds(0.1), Milliseconds(100));
  EXPECT_EQ(from_seconds(-0.1), Milliseconds(-100));
  EXPECT_DOUBLE_EQ(to_seconds(from_seconds(12.4)), 12.4);
}

TEST(TimeTest, UnitsAreThoseTheNamesSay) {
  const SessionTime t = kSessionStart + Milliseconds(1234);
  EXPECT_EQ(to_us(t), 1'234'000);
  EXPECT_DOUBLE_EQ(to_seconds(t), 1.234);
  EXPECT_DOUBLE_EQ(to_ms(Microseconds(1500)), 1.5);
}

TEST(IdTest, DefaultIsNone) {
  EXPECT_FALSE(SourceId{}.valid());
  EXPECT_TRUE(SourceId{0}.valid());
  EXPECT_LT(SourceId{0}, SourceId{1});
}

}  // namespace
}  // namespace braid
