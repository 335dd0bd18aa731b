#include "host/cell_promises.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "braid/base/virtual_clock.h"

namespace braid::serve {
namespace {

class CellPromisesTest : public testing::Test {
 protected:
  CellPromises::Promise make(int cells, int sequences = 1) {
    auto made = promises.make(cells, sequences);
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : CellPromises::Promise();
  }
  bool refused(int cells, int sequences = 1) {
    const auto made = promises.make(cells, sequences);
    if (!made) {
      EXPECT_EQ(made.error().code, ErrorCode::kFull);
      EXPECT_TRUE(made.error().retryable);
    }
    return !made;
  }

  VirtualClock clock;
  CellPromises promises{100, 4, clock, Milliseconds(1000)};
};

TEST_F(CellPromisesTest, NoMoreIsPromisedThanThereIs) {
  const auto first = make(60);
  EXPECT_TRUE(refused(41));
  EXPECT_TRUE(refused(1, 4));
  const auto second = make(40, 3);
  EXPECT_TRUE(refused(1));
  EXPECT_EQ(promises.cells(), 100);
  EXPECT_EQ(promises.sequences(), 4);
}

TEST_F(CellPromisesTest, WhatIsGivenBackCanBePromisedAgain) {
  { const auto first = make(100, 4); }
  EXPECT_EQ(promises.cells(), 0);
  auto first = make(100, 4);
  first = {};
  EXPECT_EQ(promises.cells(), 0);
  EXPECT_EQ(promises.sequences(), 0);
}

TEST_F(CellPromisesTest, OneThatIsHeldIsNeverTaken) {
  auto held = make(100);
  clock.sleep_for(Milliseconds(100'000));
  EXPECT_TRUE(refused(1));
  held.idle(clock.now());
  EXPECT_TRUE(held.hold());
  clock.sleep_for(Milliseconds(100'000));
  EXPECT_TRUE(refused(1));
  EXPECT_TRUE(held.hold());
}

TEST_F(CellPromisesTest, OneThatIsIdleLongEnoughGivesWay) {
  auto idle = make(100);
  idle.idle(clock.now());
  EXPECT_TRUE(refused(1));
  clock.sleep_for(Milliseconds(1000));
  const auto wanted = make(30);
  EXPECT_TRUE(idle.taken());
  EXPECT_FALSE(idle.hold());
  EXPECT_EQ(promises.cells(), 30);
  idle = {};
  EXPECT_EQ(promises.cells(), 30);
}

TEST_F(CellPromisesTest, TheLongestIdleGoesFirstAndNoMoreThanNeeded) {
  auto early = make(30), late = make(30), latest = make(30);
  late.idle(clock.now() + Milliseconds(2));
  early.idle(clock.now() + Milliseconds(1));
  latest.idle(clock.now() + Milliseconds(3));
  clock.sleep_for(Milliseconds(5000));
  const auto wanted = make(50);
  EXPECT_TRUE(early.taken());
  EXPECT_TRUE(late.taken());
  EXPECT_FALSE(latest.taken());
}

TEST_F(CellPromisesTest, NobodyLosesItForOneThatCanNotBeHad) {
  auto idle = make(50), held = make(50);
  idle.idle(clock.now());
  clock.sleep_for(Milliseconds(5000));
  EXPECT_TRUE(refused(51));
  EXPECT_TRUE(idle.hold());
}

}  // namespace
}  // namespace braid::serve
