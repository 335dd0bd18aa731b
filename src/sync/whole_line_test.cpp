// A line of machines: two cameras and a log, each on a clock of its own that drifts, behind networks that
// jitter; a report of a person. What was at one time on the line shall be in one window.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "braid/sync/source_clock.h"
#include "braid/sync/window_policies.h"
#include "clock/path_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

constexpr std::int64_t kMs = 1'000'000, kS = 1'000'000'000;
constexpr std::int64_t kEnd = 120 * kS;
constexpr std::int64_t kFailure = 93 * kS + 417 * kMs;
constexpr StreamKey kCamera{SourceId{0}, StreamKind::kVideo}, kThermal{SourceId{1}, StreamKind::kVideo},
    kPlc{SourceId{2}, StreamKind::kReading};

struct Packet {
  StreamKey stream;
  std::size_t sender = 0;
  Sent sent;
};

/// The senders' packets in order of arrival, mapped by their clocks into streams whose bounds follow
/// lateness.
class Line {
 public:
  explicit Line(std::uint64_t seed) : dice_(seed) {
    add(kCamera, kWifi, kS / 30);
    add(kThermal, kLan, kS / 10);
    add(kPlc, kLan, kMs);
    std::stable_sort(packets_.begin(), packets_.end(),
                     [](const Packet& a, const Packet& b) { return a.sent.arrival < b.sent.arrival; });
  }

  /// Plays all, and gives each window of 1.2 s every 0.3 s to `take`.
  template <class Take>
  void play(Take take) {
    Sliding sliding(Milliseconds(1200), Milliseconds(300));
    std::int64_t pinged = 0;
    for (const Packet& packet : packets_) {
      const SessionTime now = session(packet.sent.arrival);
      if (packet.sent.arrival - pinged > 2 * kS) ping(pinged = packet.sent.arrival);
      const Captured captured = clocks_[packet.sender].observe(packet.sent.stamp, now);
      truth_.push_back(packet.sent.truth);
      EXPECT_LE(std::abs((captured.at - session(packet.sent.truth)).count()), captured.error_bound.count())
          << "the bound holds";
      streams_.add(packet.stream, {captured.at, captured.error_bound, truth_.size() - 1});
      live_.arrived(packet.stream, captured.at, now);
      for (const Advance& advance : live_.advance(now)) streams_.assume(advance);
      while (auto window = sliding.next(streams_)) take(*window);
    }
  }
  std::int64_t truth(const Member& member) const { return truth_[member.item]; }

 private:
  void add(StreamKey stream, const PathKind& path, std::int64_t interval) {
    const SenderClock clock{static_cast<std::int64_t>(dice_.between(-1e15, 1e15)), dice_.between(-100, 100)};
    for (const Sent& sent : send(path, clock, 0, kEnd, interval, dice_))
      packets_.push_back({stream, senders_.size(), sent});
    senders_.push_back(clock);
    paths_.push_back(path);
    clocks_.emplace_back(ClockOptions{});
    streams_.add_stream(stream);
    live_.add(stream);
  }
  /// Each sender asks what time it is.
  void ping(std::int64_t now) {
    for (std::size_t i = 0; i < senders_.size(); ++i) {
      const std::int64_t there = now - dice_.there_ns(paths_[i]), back = now + dice_.back_ns(paths_[i]);
      clocks_[i].exchange({senders_[i].at(there), session(now), session(now), senders_[i].at(back)});
    }
  }

  Dice dice_;
  std::vector<SenderClock> senders_;
  std::vector<PathKind> paths_;
  std::vector<SourceClock> clocks_;
  std::vector<Packet> packets_;
  AlignedStreams streams_{1 << 16};
  LiveBounds live_;
  std::vector<std::int64_t> truth_;  // by member's item, ns
};

TEST(WholeLine, WhatWasAtOneTimeIsInOneWindow) {
  constexpr std::int64_t kSettled = 20 * kS;  // pings have been answered, skew is known
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Line line(seed);
    std::map<StreamKey, std::int64_t> members, astray;
    std::int64_t furthest = 0, windows = 0;
    line.play([&](const AlignedWindow& window) {
      const std::int64_t from = (window.from - kSessionStart).count(),
                         to = (window.at - kSessionStart).count();
      if (from < kSettled) return;
      ++windows;
      for (const StreamPart& part : window.streams)
        for (const Member& member : part.members) {
          const std::int64_t truth = line.truth(member);
          const std::int64_t outside = std::max({from - truth, truth - to, std::int64_t{0}});
          ++members[part.stream];
          if (outside > 0) ++astray[part.stream];
          furthest = std::max(furthest, outside);
        }
    });
    EXPECT_GT(windows, 320);
    EXPECT_LT(furthest, 5 * kMs) << "what isn't of the window is of its edge";
    EXPECT_NEAR(static_cast<double>(members[kCamera]) / windows, 36, 1);
    EXPECT_NEAR(static_cast<double>(members[kThermal]) / windows, 12, 0.2);
    EXPECT_NEAR(static_cast<double>(members[kPlc]) / windows, 1200, 15);
    for (const auto& [stream, count] : members) EXPECT_LT(astray[stream], count / 100 + 1);
  }
}

TEST(WholeLine, WhatWasBeforeTheFailureIsFound) {
  Line line(7);
  std::optional<AlignedWindow> before;  // the last that ends before it
  line.play([&](const AlignedWindow& window) {
    if (window.at <= session(kFailure)) before = window;
  });
  ASSERT_TRUE(before);
  EXPECT_GT(before->at, session(kFailure - 300 * kMs));
  for (const StreamPart& part : before->streams) {
    ASSERT_FALSE(part.members.empty());
    EXPECT_LT(*part.age, part.stream == kPlc ? Milliseconds(8) : Milliseconds(110))
        << "the newest is of its end";
    EXPECT_EQ(part.coverage, Coverage::kAssumed) << "no sender says that it has told all";
    EXPECT_LE(part.error_bound, Milliseconds(12));
  }
}

}  // namespace
}  // namespace braid::sync
