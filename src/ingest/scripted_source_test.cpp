#include "braid/ingest/scripted_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;

Reading reading_at(Nanoseconds at) { return Reading{{}, SessionTime(at), {{"a", "1"}}, {}}; }

SourceInfo reading_info() {
  SourceInfo info;
  info.name = "press";
  info.streams[static_cast<std::size_t>(StreamKind::kReading)] = true;
  return info;
}

struct Delivered {
  std::vector<std::int64_t> readings_ms, bounds_ms;  // of delivery, on the clock
  std::vector<Reading> readings;
  std::vector<SessionTime> bounds;
};

Delivered play(std::vector<ScriptedPacket> packets, ScriptedOptions options) {
  VirtualClock clock;
  Delivered delivered;
  auto source = make_scripted_source(reading_info(), std::move(packets), std::move(options), clock);
  EXPECT_TRUE(source->run(SourceId{3}, [&](Packet packet) {
    const std::int64_t now = clock.now().time_since_epoch() / Milliseconds(1);
    if (auto* reading = std::get_if<Reading>(&packet)) {
      delivered.readings_ms.push_back(now);
      delivered.readings.push_back(*reading);
    } else if (auto* bound = std::get_if<Bound>(&packet)) {
      delivered.bounds_ms.push_back(now);
      delivered.bounds.push_back(bound->nothing_before);
    }
    return Accepted::kTaken;
  }));
  return delivered;
}

std::vector<ScriptedPacket> two_readings() {
  std::vector<ScriptedPacket> packets;
  packets.push_back({Milliseconds(100), reading_at(Milliseconds(100))});
  packets.push_back({Milliseconds(250), reading_at(Milliseconds(200))});
  return packets;
}

TEST(ScriptedSource, DeliversEachPacketAtItsArrivalWithItsBound) {
  const Delivered delivered = play(two_readings(), {});
  EXPECT_THAT(delivered.readings_ms, ElementsAre(100, 250));
  EXPECT_THAT(delivered.bounds, ElementsAre(SessionTime(Milliseconds(100)), SessionTime(Milliseconds(200)),
                                            SessionTime::max()));
  EXPECT_EQ(delivered.readings[0].source, SourceId{3});
}

TEST(ScriptedSource, ShowsLateArrivalAsCapture) {
  const StageTimes times = [] {
    Reading second = play(two_readings(), {.capture_delay = Milliseconds(30)}).readings[1];
    second.trace.leave(SteadyTime(Milliseconds(1000)));
    return second.trace.times();
  }();
  EXPECT_EQ(times[Stage::kCapture], Milliseconds(80));
  EXPECT_EQ(times[Stage::kIngest], Milliseconds(1000 - 280));
}

TEST(ScriptedSource, SleepsTheIngestDelayInsideIngest) {
  const Delivered delivered = play(two_readings(), {.ingest_delay = Milliseconds(50)});
  EXPECT_THAT(delivered.readings_ms, ElementsAre(150, 300));
  Reading first = delivered.readings[0];
  first.trace.leave(SteadyTime(Milliseconds(150)));
  EXPECT_EQ(first.trace.times()[Stage::kCapture], Nanoseconds(0));
  EXPECT_EQ(first.trace.times()[Stage::kIngest], Milliseconds(50));
}

TEST(ScriptedSource, CountsFromTheSessionsStart) {
  const Delivered delivered =
      play(two_readings(), {.session_start = [] { return SteadyTime(Milliseconds(1000)); }});
  EXPECT_THAT(delivered.readings_ms, ElementsAre(1100, 1250));
}

TEST(ScriptedSource, SendsNoBoundsOfItsOwnWhereTheScriptHasThem) {
  std::vector<ScriptedPacket> packets;
  packets.push_back({Milliseconds(5), Bound{StreamKind::kReading, SessionTime(Milliseconds(7))}});
  packets.push_back({Milliseconds(6), Bound{StreamKind::kReading, SessionTime(Milliseconds(8))}});
  const Delivered delivered = play(std::move(packets), {.bounds = false});
  EXPECT_THAT(delivered.bounds, ElementsAre(SessionTime(Milliseconds(7)), SessionTime(Milliseconds(8))));
}

TEST(ScriptedSource, StopsWhileItWaits) {
  VirtualClock clock;
  std::vector<ScriptedPacket> packets;
  packets.push_back({std::chrono::hours(1), reading_at({})});
  auto source = make_scripted_source(reading_info(), std::move(packets), {}, clock);
  int sent = 0;
  Thread runner(clock, "source", [&] {
    EXPECT_TRUE(source->run(SourceId{0}, [&](Packet) {
      ++sent;
      return Accepted::kTaken;
    }));
  });
  clock.sleep_for(Milliseconds(10));
  source->stop();
  runner.join();
  EXPECT_EQ(sent, 0);
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(10)));
}

}  // namespace
}  // namespace braid::ingest
