#include "braid/base/stage.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace braid {
namespace {

SteadyTime at_ms(int ms) { return SteadyTime(Milliseconds(ms)); }

TEST(StageTest, EveryStageHasItsOwnName) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kStageCount; ++i) names.insert(to_string(static_cast<Stage>(i)));
  EXPECT_EQ(names.size(), kStageCount);
  EXPECT_STREQ(to_string(Stage::kDecodeFirst), "decode_first");
  EXPECT_STREQ(to_string(Stage::kUnattributed), "unattributed");
}

TEST(StageTraceTest, EachStageHoldsUntilTheNextBegins) {
  StageTrace trace;
  trace.enter(Stage::kIngest, at_ms(10));
  trace.enter(Stage::kSync, at_ms(13));
  trace.enter(Stage::kEncode, at_ms(20));
  trace.leave(at_ms(50));
  const StageTimes times = trace.times();
  EXPECT_EQ(times[Stage::kIngest], Milliseconds(3));
  EXPECT_EQ(times[Stage::kSync], Milliseconds(7));
  EXPECT_EQ(times[Stage::kEncode], Milliseconds(30));
  EXPECT_EQ(times.sum(), trace.end() - trace.begin());
}

TEST(StageTraceTest, TimeThatNobodyHeldIsNotCounted) {
  StageTrace trace;
  trace.enter(Stage::kIngest, at_ms(0));
  trace.leave(at_ms(1));
  trace.enter(Stage::kSync, at_ms(5));
  trace.leave(at_ms(7));
  EXPECT_EQ(trace.times().sum(), Milliseconds(3));
}

TEST(StageTraceTest, EnteringTheSameStageAgainChangesNothing) {
  StageTrace trace;
  trace.enter(Stage::kSchedule, at_ms(0));
  trace.enter(Stage::kSchedule, at_ms(4));
  trace.leave(at_ms(6));
  EXPECT_EQ(trace.times()[Stage::kSchedule], Milliseconds(6));
}

TEST(StageTraceTest, TimeThatGoesBackIsTakenAsTheLast) {
  StageTrace trace;
  trace.enter(Stage::kIngest, at_ms(10));
  trace.enter(Stage::kSync, at_ms(4));
  trace.leave(at_ms(12));
  EXPECT_EQ(trace.times()[Stage::kIngest], Nanoseconds(0));
  EXPECT_EQ(trace.times()[Stage::kSync], Milliseconds(2));
}

TEST(StageTraceTest, AddsOnlyWhatLiesInTheSpan) {
  StageTrace trace;
  trace.enter(Stage::kIngest, at_ms(0));
  trace.enter(Stage::kSync, at_ms(10));
  trace.leave(at_ms(20));
  StageTimes times;
  times[Stage::kSync] = Milliseconds(100);
  trace.add_to(times, at_ms(4), at_ms(13));
  EXPECT_EQ(times[Stage::kIngest], Milliseconds(6));
  EXPECT_EQ(times[Stage::kSync], Milliseconds(103));
}

TEST(StageTraceTest, FullTraceKeepsItsTotalAndItsEnd) {
  StageTrace trace;
  for (int i = 0; i < 100; ++i) trace.enter(i % 2 == 0 ? Stage::kSchedule : Stage::kDecode, at_ms(i));
  trace.leave(at_ms(100));
  EXPECT_EQ(trace.end(), at_ms(100));
  EXPECT_EQ(trace.times().sum(), Milliseconds(100));
}

TEST(StageTraceTest, EmptyTraceHasNoTimes) { EXPECT_EQ(StageTrace().times().sum(), Nanoseconds(0)); }

}  // namespace
}  // namespace braid
