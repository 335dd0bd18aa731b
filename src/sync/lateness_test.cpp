#include "braid/sync/lateness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sound_for_tests.h"

namespace braid::sync {
namespace {

using test::at;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr StreamKey kCamera{SourceId{0}, StreamKind::kVideo};
constexpr StreamKey kPress{SourceId{1}, StreamKind::kReading};

TEST(LatenessHistogram, WaitsForTheCapUntilEnoughHasBeenSeen) {
  LatenessHistogram lateness;
  for (int i = 1; i < LatenessHistogram::kEnough; ++i) lateness.add(Milliseconds(30));
  EXPECT_EQ(lateness.wait(), Milliseconds(1000));
  lateness.add(Milliseconds(30));
  EXPECT_EQ(lateness.wait(), Milliseconds(35));  // the bucket of 30 to 35 ms is over by then
}

TEST(LatenessHistogram, IsTheQuantileOfWhatCame) {
  std::mt19937 random(1);
  std::exponential_distribution<double> delay(1 / 40.0);  // ms; 99 % are under 184
  LatenessHistogram lateness;
  int in_time = 0, seen = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Nanoseconds late = from_seconds(delay(random) / 1000);
    if (i > 2000) in_time += late <= lateness.wait(), ++seen;
    lateness.add(late);
  }
  EXPECT_NEAR(in_time / static_cast<double>(seen), 0.99, 0.004);
}

TEST(LatenessHistogram, ForgetsAnOldNetwork) {
  LatenessHistogram lateness;
  for (int i = 0; i < 5000; ++i) lateness.add(Milliseconds(400));
  EXPECT_EQ(lateness.wait(), Milliseconds(405));
  for (int i = 0; i < 2000; ++i) lateness.add(Milliseconds(31));
  EXPECT_EQ(lateness.wait(), Milliseconds(405));  // it may come back
  for (int i = 0; i < 500; ++i) lateness.add(Milliseconds(31));
  EXPECT_EQ(lateness.wait(), Milliseconds(35));
}

TEST(LatenessHistogram, StaysWithinFloorAndCap) {
  LatenessHistogram early, late;
  for (int i = 0; i < 200; ++i) {
    early.add(-Milliseconds(500));
    late.add(std::chrono::hours(24));
  }
  EXPECT_EQ(early.wait(), Milliseconds(20));
  EXPECT_EQ(late.wait(), Milliseconds(1000));
}

TEST(LatenessHistogram, IsTheSameAfterTenMillionPackets) {
  LatenessHistogram lateness;
  for (int i = 0; i < 10'000'000; ++i) lateness.add(Milliseconds(i % 50 == 0 ? 120 : 31));
  EXPECT_EQ(lateness.wait(), Milliseconds(125));  // one in fifty is more than one in a hundred
}

TEST(LiveBounds, TellsEachStreamsBoundWhenItMoves) {
  LiveBounds live;
  live.add(kCamera);
  live.add(kPress);
  for (int i = 0; i < LatenessHistogram::kEnough; ++i) live.arrived(kCamera, at(i), at(i + 0.042));
  live.arrived(StreamKey{SourceId{7}, StreamKind::kText}, at(0), at(1));  // nobody added it
  EXPECT_THAT(live.advance(at(200)), ElementsAre(Advance{kCamera, at(199.955)}, Advance{kPress, at(199)}));
  EXPECT_THAT(live.advance(at(200)), IsEmpty());
  live.remove(kCamera);
  EXPECT_THAT(live.advance(at(201)), ElementsAre(Advance{kPress, at(200)}));
}

TEST(LiveBounds, NeverGoBackWhenLatenessGrows) {
  LiveBounds live;
  live.add(kCamera);
  for (int i = 0; i < 1000; ++i) live.arrived(kCamera, at(i), at(i));
  EXPECT_THAT(live.advance(at(1000)), ElementsAre(Advance{kCamera, at(999.98)}));
  for (int i = 0; i < 100; ++i) live.arrived(kCamera, at(1000), at(1000.5));
  EXPECT_THAT(live.advance(at(1000.1)), IsEmpty());
  EXPECT_THAT(live.advance(at(1001)), ElementsAre(Advance{kCamera, at(1000.495)}));
}

}  // namespace
}  // namespace braid::sync
