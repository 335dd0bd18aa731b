// What a source's clock is taken for, on simulated paths; and what each fault of a sender or a network costs.
#include "braid/sync/source_clock.h"

#include <gtest/gtest.h>

#include "clock/path_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

constexpr std::int64_t kMs = 1'000'000, kS = 1'000'000'000;
constexpr std::int64_t kEvery = 20 * kMs;
constexpr PathKind kSteady{"steady", 1, 1, 0.05, 0, 0};

/// How far a packet was mapped from its capture and the path's least delay, ns.
double error_of(const Captured& got, const Sent& sent, const PathKind& path) {
  return static_cast<double>(got.at.time_since_epoch().count() - sent.truth) - path.least_ms * 1e6;
}

double percentile(std::vector<double> values, double share) {
  for (double& value : values) value = std::abs(value);
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Trial {
  SourceClock clock;
  std::vector<double> errors;
  std::size_t within_bound = 0;
  SessionTime last = SessionTime::min();

  explicit Trial(ClockOptions options = {}) : clock(options) {}

  void feed(const std::vector<Sent>& packets, const PathKind& path) {
    for (const Sent& sent : packets) {
      const Captured got = clock.observe(sent.stamp, session(sent.arrival));
      errors.push_back(error_of(got, sent, path));
      const auto off = std::abs(got.at.time_since_epoch().count() - sent.truth);
      if (off <= got.error_bound.count()) ++within_bound;
    }
  }
  std::uint64_t count(ClockEvent event) const { return clock.report().count(event); }
  /// Of the last n packets.
  double worst_of_last(std::size_t n) const {
    return percentile({errors.end() - static_cast<std::ptrdiff_t>(n), errors.end()}, 1);
  }
};

TEST(SourceClock, FollowsASkewedClockOverEachPathWithinItsGoalAndItsBound) {
  const std::array<double, 3> goals = {0.5e6, 2e6, 5e6};
  for (std::size_t i = 0; i < kPaths.size(); ++i) {
    for (const double ppm : {-100.0, 100.0}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(std::string(kPaths[i].name) + " " + std::to_string(ppm) + " " + std::to_string(seed));
        Dice dice(seed);
        ClockOptions options;
        options.unknown_path = Milliseconds(30);
        Trial run(options);
        run.feed(send(kPaths[i], {1'700'000'000 * kS, ppm}, 0, 70 * kS, kEvery, dice), kPaths[i]);
        EXPECT_LE(percentile(run.errors, 0.99), goals[i]);
        EXPECT_GE(static_cast<double>(run.within_bound), 0.99 * static_cast<double>(run.errors.size()));
        const ClockReport report = run.clock.report();
        EXPECT_NEAR(report.skew_ppm, ppm, i == 0 ? 1 : i == 1 ? 5 : 15);
        EXPECT_NEAR(to_ms(report.jitter_mean),
                    kPaths[i].jitter_ms + kPaths[i].spike_share * kPaths[i].spike_ms,
                    0.2 * kPaths[i].jitter_ms);
        EXPECT_EQ(report.resets, 0U);
        EXPECT_EQ(report.count(ClockEvent::kOutlier), 0U);
      }
    }
  }
}

TEST(SourceClock, SaysHowFarDelaysSpread) {
  SourceClock clock({});
  for (std::int64_t i = 0; i < 2000; ++i)  // by turns 0, 2 and 4 ms late
    clock.observe(i * kEvery, session(i * kEvery + 7 * kMs + i % 3 * 2 * kMs));
  const ClockReport report = clock.report();
  EXPECT_EQ(report.packets, 2000U);
  EXPECT_EQ(report.offset, Milliseconds(7));
  EXPECT_NEAR(to_ms(report.jitter_mean), 2, 0.01);
  EXPECT_NEAR(to_ms(report.jitter_deviation), std::sqrt(8.0 / 3), 0.01);
  EXPECT_EQ(report.jitter_peak_to_peak, Milliseconds(4));
}

TEST(SourceClock, AStepIsFollowedAfterFourPacketsAndKeepsTheRate) {
  for (const std::int64_t step : {-1500 * kMs, -90 * kMs, 40 * kMs, 5 * kS}) {
    SCOPED_TRACE(step);
    Dice dice(1);
    Trial run;
    run.feed(send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice), kSteady);
    run.feed(send(kSteady, {step, 80}, 30 * kS, 33 * kS, kEvery, dice), kSteady);
    EXPECT_EQ(run.count(ClockEvent::kStep), 1U);
    EXPECT_EQ(run.clock.report().resets, 1U);
    EXPECT_EQ(run.count(ClockEvent::kOutlier), 0U);
    EXPECT_EQ(run.count(ClockEvent::kReordered), 0U);
    EXPECT_NEAR(run.clock.report().skew_ppm, 80, 2);
    EXPECT_LE(run.worst_of_last(50), 0.3e6);
  }
}

TEST(SourceClock, ARestartIsAnotherClock) {
  for (const std::int64_t start : {-30 * kS + 100 * kMs, 3'000'000 * kS}) {  // from 0 again; leaps away
    Dice dice(2);
    Trial run;
    run.feed(send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice), kSteady);
    run.feed(send(kSteady, {start, -60}, 30 * kS, 60 * kS, kEvery, dice), kSteady);
    EXPECT_EQ(run.count(ClockEvent::kRestart), 1U);
    EXPECT_EQ(run.clock.report().resets, 1U);
    EXPECT_NEAR(run.clock.report().skew_ppm, -60, 5);
    EXPECT_LE(run.worst_of_last(1000), 0.5e6);
  }
}

TEST(SourceClock, APauseKeepsTheModelIfTheClockWentOn) {
  Dice dice(3);
  Trial run;
  run.feed(send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice), kSteady);
  run.feed(send(kSteady, {0, 80}, 50 * kS, 51 * kS, kEvery, dice), kSteady);
  EXPECT_EQ(run.count(ClockEvent::kPause), 1U);
  EXPECT_EQ(run.clock.report().resets, 0U);
  EXPECT_LE(run.worst_of_last(50), 0.3e6);
}

TEST(SourceClock, APauseInWhichTheClockStoodIsFollowed) {
  Dice dice(4);
  Trial run;
  run.feed(send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice), kSteady);
  run.feed(send(kSteady, {-20 * kS, 80}, 50 * kS, 53 * kS, kEvery, dice), kSteady);
  EXPECT_EQ(run.count(ClockEvent::kPause), 1U);
  EXPECT_EQ(run.clock.report().resets, 1U);
  EXPECT_LE(run.worst_of_last(50), 0.3e6);
}

TEST(SourceClock, APathThatHoldsPacketsBackAndLetsThemGoAtOnceIsNoPause) {
  Dice dice(5);
  Trial run;
  auto packets = send(kSteady, {0, 80}, 0, 60 * kS, kEvery, dice);
  for (Sent& sent : packets)
    if (sent.truth >= 30 * kS && sent.truth < 33 * kS) sent.arrival = std::max(sent.arrival, 33 * kS);
  run.feed(packets, kSteady);
  EXPECT_EQ(run.clock.report().resets, 0U);
  EXPECT_EQ(run.count(ClockEvent::kPause), 0U);
  EXPECT_LE(percentile(run.errors, 1), 0.5e6);
}

TEST(SourceClock, CountersThatRunOverGoOn) {
  struct Counter {
    int bits;
    std::int64_t hz;
  };
  for (const Counter counter : {Counter{33, 90'000}, Counter{32, 90'000}, Counter{32, 1'000'000}}) {
    SCOPED_TRACE(counter.bits);
    Dice dice(6);
    ClockOptions options;
    options.tick_den = counter.hz;
    options.wrap_bits = counter.bits;
    Trial run(options);
    const std::int64_t modulus = std::int64_t{1} << counter.bits;
    auto packets = send(kWifi, {0, 50}, 0, 40 * kS, kEvery, dice);
    for (Sent& sent : packets)  // over the end after 20 s
      sent.stamp = (sent.stamp / 1000 * counter.hz / 1'000'000 + modulus - 20 * counter.hz) % modulus;
    run.feed(packets, kWifi);
    EXPECT_EQ(run.count(ClockEvent::kWrap), 1U);
    EXPECT_EQ(run.clock.report().resets, 0U);
    EXPECT_LE(percentile(run.errors, 0.99), 2e6);
  }
}

TEST(SourceClock, ACounterMayRunOverWhileNothingComes) {
  ClockOptions options;
  options.tick_den = 1'000'000;
  options.wrap_bits = 32;  // 71 minutes
  Dice dice(7);
  Trial run(options);
  for (const std::int64_t from : {0 * kS, 4 * 3600 * kS}) {
    auto packets = send(kSteady, {0, 0}, from, from + 20 * kS, kEvery, dice);
    for (Sent& sent : packets) sent.stamp = sent.stamp / 1000 % (std::int64_t{1} << 32);
    run.feed(packets, kSteady);
  }
  EXPECT_EQ(run.clock.report().resets, 0U);
  EXPECT_LE(run.worst_of_last(900), 0.5e6);
}

TEST(SourceClock, LoneWrongStampsAreNotBelieved) {
  Dice dice(8);
  auto packets = send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice);
  for (std::size_t i = 600; i < packets.size(); i += 100) packets[i].stamp += 3600 * kS;  // 9 of them
  for (std::size_t i = 650; i < packets.size(); i += 100) packets[i].stamp -= 10 * kS;
  packets[700].stamp = INT64_MAX;
  Trial run;
  run.feed(packets, kSteady);
  EXPECT_EQ(run.count(ClockEvent::kOutlier), 9U);
  EXPECT_EQ(run.count(ClockEvent::kBackwards), 9U);
  EXPECT_EQ(run.clock.report().resets, 0U);
  EXPECT_LE(percentile(run.errors, 1), 25e6);  // theirs: about the packet before
  EXPECT_LE(percentile(run.errors, 0.98), 0.3e6);
  EXPECT_FALSE(run.clock.observe(INT64_MIN, session(31 * kS)).believed);
}

TEST(SourceClock, ReorderedAndDuplicatedPacketsKeepTheirTimes) {
  Dice dice(9);
  auto packets = send(kSteady, {0, 80}, 0, 30 * kS, kEvery, dice);
  Trial run;
  run.feed({packets.begin(), packets.begin() + 1000}, kSteady);
  const Captured first = run.clock.observe(packets[1002].stamp, session(packets[1002].arrival));
  const Captured late = run.clock.observe(packets[1000].stamp, session(packets[1002].arrival + 1));
  const Captured again = run.clock.observe(packets[1002].stamp, session(packets[1002].arrival + 2));
  run.clock.observe(packets[1003].stamp, session(packets[1003].arrival));
  EXPECT_NEAR(error_of(late, packets[1000], kSteady), 0, 0.3e6);
  EXPECT_LT(late.at, first.at);
  EXPECT_EQ(again.at, first.at);
  EXPECT_EQ(run.count(ClockEvent::kReordered), 1U);
  EXPECT_EQ(run.count(ClockEvent::kDuplicate), 1U);
}

TEST(SourceClock, ArrivalsThatGoBackCountAsTheLast) {
  SourceClock clock({});
  clock.observe(0, session(5 * kS));
  const Captured got = clock.observe(kEvery, session(4 * kS));
  EXPECT_EQ(clock.report().count(ClockEvent::kArrivalBackwards), 1U);
  EXPECT_EQ(got.at, session(5 * kS));
}

TEST(SourceClock, ReferencesTakeThePathsDelayOutAndNarrowTheBound) {
  Dice dice(10);
  Trial run;
  const SenderClock sender{77 * kS, 50};
  for (std::int64_t t = 0; t < 30 * kS; t += 2 * kS) {
    run.feed(send(kLte, sender, t, t + 2 * kS, kEvery, dice), kLte);
    run.clock.reference(sender.at(t), session(t + kMs / 2), Milliseconds(1));
  }
  const Captured got = run.clock.map(sender.at(30 * kS));
  EXPECT_NEAR(static_cast<double>(got.at.time_since_epoch().count() - 30 * kS), 0, 1.5e6);
  EXPECT_LE(got.error_bound, Milliseconds(5));
  EXPECT_EQ(run.count(ClockEvent::kReferenceRefused), 0U);
}

TEST(SourceClock, AReferenceThatContradictsArrivalsIsRefused) {
  SourceClock clock({});
  clock.reference(0, session(0), Milliseconds(1));  // of a clock that nobody has seen
  for (std::int64_t i = 0; i < 100; ++i) clock.observe(i * kEvery, session(i * kEvery));
  clock.reference(kS, session(2 * kS), Milliseconds(1));    // captured a second after it came
  clock.reference(kS, session(-20 * kS), Milliseconds(1));  // under way for twenty seconds
  clock.reference(kS, session(kS), Milliseconds(-1));
  EXPECT_EQ(clock.report().count(ClockEvent::kReferenceRefused), 4U);
  EXPECT_EQ(clock.report().offset, Nanoseconds(0));
}

TEST(SourceClock, ExchangesHalveWhatIsUnknownOfThePath) {
  Dice dice(11);
  ClockOptions options;
  options.unknown_path = Milliseconds(500);
  Trial run(options);
  const SenderClock sender{77 * kS, 50};
  for (std::int64_t t = 0; t < 40 * kS; t += 2 * kS) {
    const std::int64_t there = t + dice.there_ns(kLte), back = there + dice.back_ns(kLte);
    run.clock.exchange({sender.at(t), session(there), session(there), sender.at(back)});
    run.feed(send(kLte, sender, t, t + 2 * kS, kEvery, dice), kLte);
  }
  const Captured got = run.clock.map(sender.at(40 * kS));
  const double error = static_cast<double>(got.at.time_since_epoch().count() - 40 * kS);
  EXPECT_NEAR(error, 2.5e6, 6e6);  // half of the asymmetry, and of the luckiest exchange's jitter
  EXPECT_LE(std::abs(error), static_cast<double>(got.error_bound.count()));
  EXPECT_LE(got.error_bound, Milliseconds(40));
  EXPECT_EQ(run.count(ClockEvent::kReferenceRefused), 0U);
  run.clock.exchange({sender.at(40 * kS), session(41 * kS), session(41 * kS), sender.at(40 * kS)});
  EXPECT_EQ(run.count(ClockEvent::kReferenceRefused), 1U);
}

TEST(SourceClock, ExchangesThatContradictTheFirstPacketBeginItOnceMore) {
  SourceClock clock{ClockOptions{}};
  for (int i = 0; i < 8; ++i) clock.exchange({5 * kS, session(6 * kS), session(6 * kS), 5 * kS + kMs});
  const Captured got = clock.observe(10 * kS, session(10 * kS));
  EXPECT_TRUE(got.believed);
  EXPECT_EQ(got.at, session(10 * kS));
  EXPECT_GE(clock.report().resets, 1U);
}

TEST(SourceClock, ExchangesShowAStepBackThatLooksLikeDelay) {
  for (const bool pinged : {false, true}) {
    Dice dice(12);
    Trial run;
    SenderClock sender{77 * kS, 50};
    for (std::int64_t t = 0; t < 60 * kS; t += 2 * kS) {
      if (t == 30 * kS) sender.start -= 15 * kMs;
      run.feed(send(kLan, sender, t, t + 2 * kS, kEvery, dice), kLan);
      const std::int64_t now = t + 2 * kS, there = now + dice.there_ns(kLan),
                         back = there + dice.back_ns(kLan);
      if (pinged) run.clock.exchange({sender.at(now), session(there), session(there), sender.at(back)});
    }
    const double error = run.worst_of_last(100);
    EXPECT_EQ(run.count(ClockEvent::kStep), pinged ? 1U : 0U);
    if (pinged)
      EXPECT_LE(error, 1e6);
    else
      EXPECT_GE(error, 14e6) << "stamps alone can't tell it from delay";
  }
}

TEST(SourceClock, NamesItsEvents) {
  EXPECT_STREQ(to_string(ClockEvent::kStep), "step");
  EXPECT_STREQ(to_string(ClockEvent::kReferenceRefused), "reference_refused");
}

TEST(SourceClock, LearnsAnewAfterALineWasMadeAnewAndNeverGoesBack) {
  SourceClock clock({});
  for (int i = 0; i < 100; ++i) clock.observe(i * kEvery, session(i * kEvery + 5 * kMs));
  // The stamps go on as if nothing had happened, half a second off: without a word that is a step.
  clock.restart();
  const std::int64_t again = 100 * kEvery + kS;
  const Captured first = clock.observe(7 * kEvery, session(again));
  EXPECT_TRUE(first.believed);
  EXPECT_EQ(first.at, session(again));
  EXPECT_EQ(clock.report().count(ClockEvent::kRestart), 1U);
  clock.restart();
  const Captured earlier = clock.observe(0, session(again - kS));
  EXPECT_GE(earlier.at, first.at);
}

}  // namespace
}  // namespace braid::sync
