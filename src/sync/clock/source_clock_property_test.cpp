// Whatever stamps, arrivals, references and exchanges come: mapped times never go back, and nothing grows.
#include <gtest/gtest.h>

#include <vector>

#include "braid/sync/source_clock.h"
#include "clock/path_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

constexpr std::int64_t kMs = 1'000'000, kS = 1'000'000'000;

/// A sender to whom everything happens.
class Wild {
 public:
  explicit Wild(std::uint64_t seed) : dice_(seed), path_(kPaths[seed % 3]) {
    clock_.ppm = dice_.between(-200, 200);
  }

  Sent next() {
    now_ += static_cast<std::int64_t>(dice_.exponential(20e6));
    if (chance(0.003)) clock_.start += static_cast<std::int64_t>(dice_.between(-2e9, 2e9));
    if (chance(0.001)) clock_.start = static_cast<std::int64_t>(dice_.between(-1e18, 1e18));
    if (chance(0.002)) now_ += static_cast<std::int64_t>(dice_.exponential(20e9));
    Sent sent{now_, clock_.at(now_), now_ + dice_.there_ns(path_)};
    if (chance(0.01)) sent.stamp += static_cast<std::int64_t>(dice_.between(-1e12, 1e12));
    if (chance(0.01)) sent.arrival -= static_cast<std::int64_t>(dice_.exponential(1e9));
    if (chance(0.01)) sent.stamp = last_.stamp;
    if (chance(0.001)) sent.stamp = chance(0.5) ? INT64_MIN : INT64_MAX;
    last_ = sent;
    return sent;
  }
  void disturb(SourceClock& clock) {
    if (chance(0.05))
      clock.reference(last_.stamp, session(last_.truth + noise()), Nanoseconds(std::abs(noise())));
    const std::int64_t back = last_.stamp + std::abs(noise());
    if (chance(0.05))
      clock.exchange({last_.stamp, session(last_.arrival), session(last_.arrival + kMs), back});
  }

 private:
  bool chance(double share) { return dice_.unit() < share; }
  std::int64_t noise() {
    return static_cast<std::int64_t>(dice_.between(-1, 1) * std::pow(10, dice_.between(3, 12)));
  }

  Dice dice_;
  PathKind path_;
  SenderClock clock_;
  std::int64_t now_ = 0;
  Sent last_;
};

struct Mapped {
  std::int64_t stamp = 0;
  SessionTime at;
};

/// Nothing that was believed since the last reset lies before a later packet's stamp and after its time.
void expect_in_order(const std::vector<Mapped>& earlier, const Mapped& now) {
  for (const Mapped& one : earlier)
    if (one.stamp <= now.stamp) {
      ASSERT_LE(one.at, now.at);
    }
}

TEST(SourceClockProperty, MappedTimesNeverGoBackAndNeverPassTheArrival) {
  std::uint64_t resets = 0, believed = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Wild wild(seed);
    SourceClock clock({});
    std::vector<Mapped> since_reset;
    SessionTime frontier = SessionTime::min(), arrived = SessionTime::min();
    std::int64_t newest = INT64_MIN;
    for (int i = 0; i < 1500; ++i) {
      const Sent sent = wild.next();
      const std::uint64_t before = clock.report().resets;
      const Captured got = clock.observe(sent.stamp, session(sent.arrival));
      const std::uint64_t after = clock.report().resets;
      if (after != before) {
        since_reset.clear();
        newest = INT64_MIN;
      }
      arrived = std::max(arrived, session(sent.arrival));
      ASSERT_LE(got.at, arrived);
      ASSERT_GE(got.error_bound, Nanoseconds(0));
      if (!got.believed || sent.stamp > newest) {
        ASSERT_GE(got.at, frontier);
        frontier = got.at;
      }
      if (!got.believed) continue;
      ++believed;
      newest = std::max(newest, sent.stamp);
      ASSERT_NO_FATAL_FAILURE(expect_in_order(since_reset, {sent.stamp, got.at}));
      ASSERT_EQ(clock.map(sent.stamp).at, got.at);
      since_reset.push_back({sent.stamp, got.at});
      wild.disturb(clock);
      if (clock.report().resets != after) {  // an exchange showed a step
        since_reset.clear();
        newest = INT64_MIN;
      }
    }
    resets += clock.report().resets;
  }
  EXPECT_GT(resets, 100U);       // else little happened
  EXPECT_GT(believed, 60'000U);  // else little was mapped
}

TEST(SourceClockProperty, ACapturedTimeIsReachedAgainAfterEveryFault) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Wild wild(seed);
    SourceClock clock({});
    std::int64_t last = 0;
    for (int i = 0; i < 500; ++i) {
      const Sent sent = wild.next();
      clock.observe(sent.stamp, session(sent.arrival));
      wild.disturb(clock);
      last = std::max(last, sent.arrival);
    }
    Dice dice(seed);
    double worst = 0;
    const SenderClock calm{123'456 * kS, 30};
    for (const Sent& sent : send(kLan, calm, last + kS, last + 181 * kS, 20 * kMs, dice)) {
      const Captured got = clock.observe(sent.stamp, session(sent.arrival));
      if (sent.truth > last + 171 * kS)
        worst =
            std::max(worst, std::abs(static_cast<double>(got.at.time_since_epoch().count() - sent.truth)));
    }
    EXPECT_LE(worst, 0.5e6);
    EXPECT_NEAR(clock.report().skew_ppm, 30, 1);
  }
}

}  // namespace
}  // namespace braid::sync
