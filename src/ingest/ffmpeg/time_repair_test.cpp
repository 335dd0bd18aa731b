#include "time_repair.h"

#include <gtest/gtest.h>

namespace braid::ingest::ffmpeg {
namespace {

constexpr Nanoseconds kStep = Milliseconds(40);
constexpr Nanoseconds kWrap = Milliseconds(95'443'717);  // 2^33 ticks of 90 kHz

/// Feeds packets 40 ms apart and gives where each is put, in ms.
class Feed {
 public:
  std::int64_t put(int stream, std::int64_t ms, Nanoseconds wrap = kWrap) {
    const Nanoseconds time = Milliseconds(ms);
    return (time + repair_.shift(stream, time, kStep, wrap)) / Milliseconds(1);
  }
  void run(int stream, std::int64_t from_ms, int packets) {
    for (int i = 0; i < packets; ++i) EXPECT_EQ(put(stream, from_ms + 40 * i), from_ms + 40 * i);
  }

 private:
  TimeRepair repair_;
};

TEST(TimeRepair, LeavesSteadyTimesJitterAndHolesAlone) {
  Feed feed;
  feed.run(0, 1000, 5);
  EXPECT_EQ(feed.put(0, 1210), 1210);
  EXPECT_EQ(feed.put(0, 1230), 1230);
  EXPECT_EQ(feed.put(0, 6000), 6000);
}

TEST(TimeRepair, TellsAtTheSecondPacketBehindALongHoleWhereTheFirstBelongs) {
  TimeRepair repair;
  const auto put = [&](int ms) { return Milliseconds(ms) + repair.shift(0, Milliseconds(ms), kStep, kWrap); };
  put(0);
  EXPECT_EQ(put(100'000), Milliseconds(40));
  EXPECT_EQ(repair.take_belated(), Nanoseconds{});
  EXPECT_EQ(put(100'040), Milliseconds(100'040));
  EXPECT_EQ(repair.take_belated(), Milliseconds(99'960));
  EXPECT_EQ(repair.take_belated(), Nanoseconds{});
}

TEST(TimeRepair, PutsStreamsTogetherWhoseCounterWrapsBetweenTheirStarts) {
  TimeRepair repair;
  repair.begins_at(Milliseconds(-10));
  EXPECT_EQ(repair.shift(1, kWrap - Milliseconds(10), kStep, kWrap), -kWrap);
  EXPECT_EQ(repair.shift(0, Milliseconds(5), kStep, kWrap), Nanoseconds{});
}

TEST(TimeRepair, FollowsAWrapOfTheCounter) {
  Feed feed;
  const std::int64_t wrap_ms = kWrap / Milliseconds(1);
  feed.run(0, wrap_ms - 80, 2);
  EXPECT_EQ(feed.put(0, 0), wrap_ms);
  EXPECT_EQ(feed.put(0, 40), wrap_ms + 40);
  EXPECT_EQ(feed.put(0, 80), wrap_ms + 80);
}

TEST(TimeRepair, KeepsAHoleAcrossAWrap) {
  Feed feed;
  const std::int64_t wrap_ms = kWrap / Milliseconds(1);
  feed.run(0, wrap_ms - 80, 2);
  EXPECT_EQ(feed.put(0, 5000), wrap_ms + 5000);
}

TEST(TimeRepair, GoesOnWhereAResetCame) {
  Feed feed;
  feed.run(0, 10'000, 3);
  EXPECT_EQ(feed.put(0, 1400), 10'120);
  EXPECT_EQ(feed.put(0, 1440), 10'160);
  EXPECT_EQ(feed.put(0, 1480), 10'200);
}

TEST(TimeRepair, KeepsStreamsTogetherAcrossAReset) {
  Feed feed;
  feed.run(0, 10'000, 3);
  feed.run(1, 10'000, 4);
  feed.put(0, 1400);
  const std::int64_t first = feed.put(0, 1440) - 1440;
  feed.put(1, 1500);
  EXPECT_EQ(feed.put(1, 1540) - 1540, first);
  EXPECT_EQ(feed.put(1, 1580) - 1580, first);
}

TEST(TimeRepair, PutsASingleOutlierWhereItBelongs) {
  Feed feed;
  feed.run(0, 10'000, 3);
  EXPECT_EQ(feed.put(0, 80'000'000), 10'120);
  EXPECT_EQ(feed.put(0, 10'160), 10'160);
  EXPECT_EQ(feed.put(0, 3), 10'200);
  EXPECT_EQ(feed.put(0, 10'240), 10'240);
}

TEST(TimeRepair, TakesALongHoleOnceItIsConfirmed) {
  Feed feed;
  feed.run(0, 0, 2);
  EXPECT_EQ(feed.put(0, 60'000), 80);
  EXPECT_EQ(feed.put(0, 60'040), 60'040);
  EXPECT_EQ(feed.put(0, 60'080), 60'080);
}

TEST(TimeRepair, ClosesAStepOfHours) {
  Feed feed;
  feed.run(0, 0, 2);
  feed.put(0, 20'000'000, {});
  EXPECT_EQ(feed.put(0, 20'000'040, {}), 120);
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
