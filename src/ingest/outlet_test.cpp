#include "outlet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "braid/base/virtual_clock.h"

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;

/// An outlet whose packets are kept.
struct Bench {
  VirtualClock clock;
  Pacer pacer{clock};
  std::vector<Packet> sent;
  std::size_t take = 1000;
  PacketSink sink = [this](Packet packet) {
    sent.push_back(std::move(packet));
    return sent.size() < take ? Accepted::kTaken : Accepted::kClosed;
  };
  Outlet outlet(Outlet::Options options) { return Outlet(SourceId{1}, sink, pacer, options, SteadyTime{}); }
};

SessionTime at_ms(int ms) { return SessionTime(Milliseconds(ms)); }
TextLine line() { return TextLine{{}, {}, {}, "x", {}}; }

TEST(Outlet, HoldsPacketsUntilTheirTimeWhereAsked) {
  Bench bench;
  Outlet outlet = bench.outlet({.realtime = true});
  EXPECT_TRUE(outlet.send(line(), at_ms(300), {}));
  EXPECT_EQ(bench.clock.now(), SteadyTime(Milliseconds(300)));
  EXPECT_EQ(std::get<TextLine>(bench.sent[0]).trace.begin(), SteadyTime(Milliseconds(300)));
  EXPECT_EQ(std::get<TextLine>(bench.sent[0]).source, SourceId{1});
}

TEST(Outlet, DoesNotWaitOtherwiseAndCountsFromReading) {
  Bench bench;
  Outlet outlet = bench.outlet({});
  EXPECT_TRUE(outlet.send(line(), at_ms(300), {SteadyTime(Milliseconds(1)), SteadyTime(Milliseconds(4))}));
  EXPECT_EQ(bench.clock.now(), SteadyTime{});
  EXPECT_EQ(std::get<TextLine>(bench.sent[0]).trace.times()[Stage::kCapture], Milliseconds(3));
}

TEST(Outlet, SendsBoundsThatMoveOnAndAnEndlessOneOnce) {
  Bench bench;
  Outlet outlet = bench.outlet({.bound_step = Milliseconds(20)});
  for (const int ms : {0, 10, 20, 15, 39, 40}) outlet.bound(StreamKind::kVideo, at_ms(ms));
  outlet.bound(StreamKind::kVideo, SessionTime::max());
  outlet.bound(StreamKind::kVideo, SessionTime::max());
  std::vector<SessionTime> bounds;
  for (const auto& packet : bench.sent) bounds.push_back(std::get<Bound>(packet).nothing_before);
  EXPECT_THAT(bounds, ElementsAre(at_ms(0), at_ms(20), at_ms(40), SessionTime::max()));
}

TEST(Outlet, SendsLikeFaultsOnceASecondAndCountsTheRest) {
  Bench bench;
  Outlet outlet = bench.outlet({});
  for (int i = 0; i < 25; ++i) outlet.damage(at_ms(100 * i), ErrorCode::kFull, "slots", "no slot");
  outlet.damage(at_ms(2400), ErrorCode::kBadInput, "picture", "bad picture");
  outlet.flush_damage();
  std::vector<std::string> messages;
  for (const auto& packet : bench.sent) messages.push_back(std::get<Damage>(packet).error.message);
  EXPECT_THAT(messages, ElementsAre("no slot", "no slot (and 9 more like it before)",
                                    "no slot (and 9 more like it before)", "bad picture",
                                    "no slot (and 3 more like it before)"));
}

TEST(Outlet, ClosesWhenTheReceiverDoes) {
  Bench bench;
  bench.take = 2;
  Outlet outlet = bench.outlet({});
  EXPECT_TRUE(outlet.send(line(), at_ms(0), {}));
  EXPECT_FALSE(outlet.send(line(), at_ms(0), {}));
  EXPECT_FALSE(outlet.send(line(), at_ms(0), {}));
  EXPECT_EQ(bench.sent.size(), 2U);
}

}  // namespace
}  // namespace braid::ingest
