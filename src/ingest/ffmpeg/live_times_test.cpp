#include "live_times.h"

#include <gtest/gtest.h>

#include <vector>

namespace braid::ingest::ffmpeg {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kUnixUs = 1'700'000'000'000'000;

SessionTime at(std::int64_t ms) { return SessionTime(Milliseconds(ms)); }

struct Told {
  std::int64_t stamp;
  SessionTime at;
  Nanoseconds error{};
  bool operator==(const Told&) const = default;
};

/// Says that everything was captured 7 ms before it came.
class FixedClock final : public StampClock {
 public:
  FixedClock(std::vector<Told>& seen, std::vector<Told>& told) : seen_(seen), told_(told) {}
  Captured observe(std::int64_t stamp, SessionTime arrival) override {
    seen_.push_back({stamp, arrival});
    return {arrival - Milliseconds(7), Milliseconds(3), stamp < 1000 * kMs};
  }
  void restart() override { told_.push_back({-1, kSessionStart}); }
  void reference(std::int64_t stamp, SessionTime when, Nanoseconds error) override {
    told_.push_back({stamp, when, error});
  }

 private:
  std::vector<Told>&seen_, &told_;
};

class LiveTimesTest : public testing::Test {
 protected:
  LiveTimes times(std::optional<Nanoseconds> synced = std::nullopt) {
    return {std::make_unique<FixedClock>(seen, told), synced, [this] { return now_us; }};
  }
  static PacketPtr packet(int stream, std::int64_t dts = 0, std::int64_t pts = 0) {
    PacketPtr made(av_packet_alloc());
    made->stream_index = stream;
    made->dts = dts;
    made->pts = pts;
    return made;
  }

  std::vector<Told> seen, told;
  std::int64_t now_us = kUnixUs;
};

TEST_F(LiveTimesTest, MapsWhatIsShownByTheClockAndTellsItsError) {
  LiveTimes live = times();
  const auto map = live.follow(*packet(0), 500 * kMs, Nanoseconds(0), at(100));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->at(500 * kMs), at(93));
  EXPECT_EQ(map->at(540 * kMs), at(133));
  EXPECT_EQ(map->error_bound, Milliseconds(3));
}

TEST_F(LiveTimesTest, SoundHasToEndBeforeItIsSent) {
  LiveTimes live = times();
  const auto map = live.follow(*packet(0), 500 * kMs, Milliseconds(20), at(100));
  EXPECT_EQ(seen, (std::vector<Told>{{520 * kMs, at(100)}}));
  EXPECT_EQ(map->at(500 * kMs), at(73));
}

TEST_F(LiveTimesTest, OneStreamTellsForAllOfTheSender) {
  LiveTimes live = times();
  EXPECT_TRUE(live.follow(*packet(1), 0, Nanoseconds(0), at(10)));
  EXPECT_FALSE(live.follow(*packet(0), 40 * kMs, Nanoseconds(0), at(50)));
  EXPECT_TRUE(live.follow(*packet(1), 20 * kMs, Nanoseconds(0), at(60)));
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(LiveTimesTest, PicturesShownInAnotherOrderWereNotOvertaken) {
  LiveTimes live = times();
  EXPECT_TRUE(live.follow(*packet(0, 0, 80), 80 * kMs, Nanoseconds(0), at(10)));
  EXPECT_FALSE(live.follow(*packet(0, 20, 60), 60 * kMs, Nanoseconds(0), at(50)));
  EXPECT_TRUE(live.follow(*packet(0, 40, 120), 120 * kMs, Nanoseconds(0), at(90)));
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(LiveTimesTest, ASendersReportIsAReferenceWhereItsWallClockIsRight) {
  const auto report = [&](LiveTimes& live) {
    const PacketPtr with = packet(0);
    auto* data = reinterpret_cast<AVProducerReferenceTime*>(
        av_packet_new_side_data(with.get(), AV_PKT_DATA_PRFT, sizeof(AVProducerReferenceTime)));
    *data = {kUnixUs - 30'000, 0};  // 30 ms ago
    live.follow(*with, 500 * kMs, Milliseconds(20), at(100));
  };
  LiveTimes unknown = times();
  report(unknown);
  EXPECT_TRUE(told.empty());
  LiveTimes known = times(Milliseconds(5));
  report(known);
  EXPECT_EQ(told, (std::vector<Told>{{500 * kMs, at(70), Milliseconds(5)}}));
  known.follow(*packet(0), 520 * kMs, Nanoseconds(0), at(120));
  EXPECT_EQ(told.size(), 1U) << "that one had no report";
}

TEST_F(LiveTimesTest, AStampThatIsNotBelievedMovesNothing) {
  LiveTimes live = times();
  EXPECT_TRUE(live.follow(*packet(0), 500 * kMs, Nanoseconds(0), at(100)));
  EXPECT_FALSE(live.follow(*packet(0), 5000 * kMs, Nanoseconds(0), at(120)));
  EXPECT_TRUE(live.follow(*packet(0), 540 * kMs, Nanoseconds(0), at(140)));
}

TEST_F(LiveTimesTest, NothingIsBeforeTheSession) {
  LiveTimes live = times();
  EXPECT_EQ(live.follow(*packet(0), 500 * kMs, Nanoseconds(0), at(2))->at(500 * kMs), kSessionStart);
}

TEST_F(LiveTimesTest, WithoutAClockNothingChanges) {
  LiveTimes none(nullptr, std::nullopt, {});
  EXPECT_FALSE(none.follow(*packet(0), 0, Nanoseconds(0), at(0)));
}

TEST_F(LiveTimesTest, AnotherStreamMayTellOnceTheLineWasMadeAnew) {
  LiveTimes live = times();
  live.follow(*packet(1), 500 * kMs, Nanoseconds(0), at(100));
  live.restart();
  EXPECT_EQ(told, (std::vector<Told>{{-1, kSessionStart}}));
  EXPECT_TRUE(live.follow(*packet(0), 0, Nanoseconds(0), at(900)));
  EXPECT_FALSE(live.follow(*packet(1), 40 * kMs, Nanoseconds(0), at(940)));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
