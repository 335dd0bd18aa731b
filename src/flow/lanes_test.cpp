#include "braid/flow/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "braid/base/virtual_clock.h"

namespace braid::flow {
namespace {

using testing::ElementsAre;

SteadyTime at_ms(int ms) { return SteadyTime(Milliseconds(ms)); }

std::vector<int> take_all(Lanes<int>& lanes, std::size_t lane) {
  std::vector<int> items;
  while (auto item = lanes.try_pop(lane)) items.push_back(*item);
  return items;
}

class LanesTest : public testing::Test {
 protected:
  VirtualClock clock_;
  Lanes<int> lanes_{clock_};
  std::vector<int> dropped_;

  LaneOptions<int> dropping(std::size_t capacity) {
    LaneOptions<int> options;
    options.capacity = capacity;
    options.when_full = WhenFull::kDropOldest;
    options.on_drop = [this](int&& item) { dropped_.push_back(item); };
    return options;
  }
};

TEST_F(LanesTest, ItemsComeOutInOrderAndEachLaneKeepsItsOwn) {
  auto a = lanes_.add_lane();
  auto b = lanes_.add_lane();
  a.push(1), b.push(10), a.push(2), b.push(20);
  EXPECT_EQ(lanes_.lanes(), 2U);
  EXPECT_THAT(take_all(lanes_, 0), ElementsAre(1, 2));
  EXPECT_THAT(take_all(lanes_, 1), ElementsAre(10, 20));
  EXPECT_EQ(lanes_.try_pop(0), std::nullopt);
}

TEST_F(LanesTest, AClosedLaneRefusesAndItsNumberIsGivenAgainWhenItsSenderHasEnded) {
  auto a = lanes_.add_lane();
  auto b = lanes_.add_lane();
  a.push(1), b.push(10);
  lanes_.close(0);
  EXPECT_EQ(a.push(2), Pushed::kClosed);
  EXPECT_EQ(lanes_.try_pop(0), std::nullopt);
  EXPECT_EQ(lanes_.add_lane().lane(), 2U);
  a.end();
  auto again = lanes_.add_lane();
  EXPECT_EQ(again.lane(), 0U);
  EXPECT_EQ(again.push(3), Pushed::kTaken);
  EXPECT_FALSE(lanes_.ended(0));
  EXPECT_THAT(take_all(lanes_, 0), ElementsAre(3));
  EXPECT_THAT(take_all(lanes_, 1), ElementsAre(10));
}

TEST_F(LanesTest, ClosingALaneFreesItsSenderWhoWaits) {
  auto sender = lanes_.add_lane({.capacity = 1});
  Pushed last = Pushed::kTaken;
  Thread thread(clock_, "sender", [&] {
    sender.push(1);
    last = sender.push(2);
  });
  clock_.sleep_for(Milliseconds(10));
  lanes_.close(0);
  thread.join();
  EXPECT_EQ(last, Pushed::kClosed);
}

TEST_F(LanesTest, FullLaneHoldsItsSenderUntilAnItemIsTaken) {
  auto sender = lanes_.add_lane({.capacity = 2});
  SteadyTime pushed;
  Thread thread(clock_, "sender", [&] {
    for (int i = 0; i < 3; ++i) sender.push(i);
    pushed = clock_.now();
  });
  clock_.sleep_for(Milliseconds(10));
  EXPECT_EQ(pushed, at_ms(0));
  EXPECT_EQ(lanes_.try_pop(0), 0);
  thread.join();
  EXPECT_EQ(pushed, at_ms(10));
  EXPECT_THAT(take_all(lanes_, 0), ElementsAre(1, 2));
}

TEST_F(LanesTest, DroppingLaneNeverHoldsItsSenderAndReportsTheOldest) {
  auto sender = lanes_.add_lane(dropping(2));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sender.push(i), Pushed::kTaken);
  EXPECT_THAT(dropped_, ElementsAre(0, 1, 2));
  EXPECT_THAT(take_all(lanes_, 0), ElementsAre(3, 4));
}

TEST_F(LanesTest, OnlyDroppableItemsAreDropped) {
  auto options = dropping(3);
  options.droppable = [](int item) { return item % 2 == 0; };
  auto sender = lanes_.add_lane(options);
  for (const int item : {1, 2, 3, 4}) sender.push(item);
  EXPECT_THAT(dropped_, ElementsAre(2));
  EXPECT_THAT(take_all(lanes_, 0), ElementsAre(1, 3, 4));
}

TEST_F(LanesTest, SenderWaitsWhereNothingMayBeDropped) {
  auto options = dropping(1);
  options.droppable = [](int) { return false; };
  auto sender = lanes_.add_lane(options);
  sender.push(1);
  bool second = false;
  Thread thread(clock_, "sender", [&] { second = sender.push(2) == Pushed::kTaken; });
  clock_.sleep_for(Milliseconds(1));
  EXPECT_FALSE(second);
  EXPECT_EQ(lanes_.try_pop(0), 1);
  thread.join();
  EXPECT_TRUE(second);
  EXPECT_THAT(dropped_, ElementsAre());
}

TEST_F(LanesTest, CloseFreesASenderThatWaits) {
  auto sender = lanes_.add_lane({.capacity = 1});
  sender.push(1);
  Pushed second = Pushed::kTaken;
  Thread thread(clock_, "sender", [&] { second = sender.push(2); });
  clock_.sleep_for(Milliseconds(1));
  lanes_.close();
  thread.join();
  EXPECT_EQ(second, Pushed::kClosed);
  EXPECT_EQ(sender.push(3), Pushed::kClosed);
}

TEST_F(LanesTest, DestroyingOrReplacingTheReceiverClosesIt) {
  Sender<int> first;
  Sender<int> second;
  {
    Lanes<int> lanes(clock_);
    first = lanes.add_lane();
    lanes = Lanes<int>(clock_);
    EXPECT_EQ(first.push(1), Pushed::kClosed);
    second = lanes.add_lane();
  }
  EXPECT_EQ(second.push(1), Pushed::kClosed);
  EXPECT_EQ(Sender<int>().push(1), Pushed::kClosed);
}

TEST_F(LanesTest, LaneEndsWhenItsSenderIsGoneAndItsItemsAreTaken) {
  auto sender = lanes_.add_lane();
  sender.push(1);
  EXPECT_FALSE(lanes_.ended(0));
  sender.end();
  sender.end();
  EXPECT_FALSE(lanes_.ended(0));
  EXPECT_EQ(lanes_.try_pop(0), 1);
  EXPECT_TRUE(lanes_.ended(0));
}

TEST_F(LanesTest, AssigningToASenderEndsItsOldLane) {
  auto sender = lanes_.add_lane();
  sender = lanes_.add_lane();
  EXPECT_TRUE(lanes_.ended(0));
  EXPECT_FALSE(lanes_.ended(1));
}

TEST_F(LanesTest, WaitReturnsForAnItemAnEndALaneAndAWake) {
  auto sender = lanes_.add_lane();
  const auto waker = lanes_.waker();
  Thread thread(clock_, "sender", [&] {
    clock_.sleep_until(at_ms(1));
    sender.push(1);
    clock_.sleep_until(at_ms(2));
    sender.end();
    clock_.sleep_until(at_ms(3));
    sender = lanes_.add_lane();
    clock_.sleep_until(at_ms(4));
    waker();
    clock_.sleep_until(at_ms(5));
    lanes_.wake();
  });
  lanes_.wait();  // the lane that was there
  for (int ms = 1; ms <= 5; ++ms) {
    lanes_.wait();
    EXPECT_EQ(clock_.now(), at_ms(ms));
  }
}

TEST_F(LanesTest, ChangeBeforeTheWaitIsNotMissed) {
  auto sender = lanes_.add_lane();
  lanes_.wait();
  sender.push(1);
  lanes_.wait(at_ms(50));
  EXPECT_EQ(clock_.now(), at_ms(0));
}

TEST_F(LanesTest, WaitGivesUpAtItsTime) {
  auto sender = lanes_.add_lane();
  lanes_.wait();
  lanes_.wait(at_ms(50));
  EXPECT_EQ(clock_.now(), at_ms(50));
}

TEST_F(LanesTest, WakerOutlivesTheReceiver) {
  std::function<void()> waker;
  {
    Lanes<int> lanes(clock_);
    waker = lanes.waker();
  }
  waker();
}

// Real threads: run under ThreadSanitizer too. Ends because every sender sends a fixed count.
TEST(LanesStressTest, NothingIsLostOrReorderedAmongManySenders) {
  constexpr int kSenders = 4;
  constexpr int kItems = 2000;
  RealClock clock;
  Lanes<int> lanes(clock);
  std::vector<Thread> threads;
  for (int s = 0; s < kSenders; ++s)
    threads.emplace_back(clock, "sender",
                         [sender = std::make_shared<Sender<int>>(lanes.add_lane({.capacity = 3}))] {
                           for (int i = 0; i < kItems; ++i) sender->push(i);
                           sender->end();
                         });
  std::array<int, kSenders> next{};
  int ended = 0;
  while (ended < kSenders) {
    lanes.wait();
    ended = 0;
    for (std::size_t lane = 0; lane < kSenders; ++lane) {
      while (const auto item = lanes.try_pop(lane)) EXPECT_EQ(*item, next[lane]++);
      ended += lanes.ended(lane);
    }
  }
  for (const int n : next) EXPECT_EQ(n, kItems);
}

TEST(LanesStressTest, TakenAndDroppedItemsMakeUpWhatWasSent) {
  constexpr int kItems = 5000;
  RealClock clock;
  Lanes<int> lanes(clock);
  std::atomic<int> dropped{0};
  auto sender = std::make_shared<Sender<int>>(lanes.add_lane(
      {.capacity = 4, .when_full = WhenFull::kDropOldest, .droppable = {}, .on_drop = [&](int&&) {
         ++dropped;
       }}));
  Thread thread(clock, "sender", [&] {
    for (int i = 0; i < kItems; ++i) sender->push(i);
    sender->end();
  });
  int taken = 0;
  int last = -1;
  while (!lanes.ended(0)) {
    lanes.wait();
    while (const auto item = lanes.try_pop(0)) {
      EXPECT_GT(*item, last);
      last = *item;
      ++taken;
    }
  }
  thread.join();
  EXPECT_EQ(taken + dropped, kItems);
  EXPECT_EQ(last, kItems - 1);
}

TEST(LanesLook, ShowsWhatWaitsInOrderAndTakesNothing) {
  VirtualClock clock;
  Lanes<int> lanes(clock);
  auto sender = lanes.add_lane();
  for (int i = 0; i < 4; ++i) sender.push(i);
  lanes.try_pop(0);
  std::vector<int> seen;
  lanes.look(0, [&](int item) {
    seen.push_back(item);
    return item < 2;
  });
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
  EXPECT_EQ(lanes.try_pop(0), 1);
}

TEST(LanesStressTest, ClosingWhileSendersPushFreesThemAll) {
  RealClock clock;
  for (int round = 0; round < 50; ++round) {
    Lanes<int> lanes(clock);
    std::vector<Thread> threads;
    for (int s = 0; s < 3; ++s)
      threads.emplace_back(clock, "sender",
                           [sender = std::make_shared<Sender<int>>(lanes.add_lane({.capacity = 1}))] {
                             while (sender->push(1) == Pushed::kTaken) {
                             }
                           });
    for (int i = 0; i < 5; ++i) {
      lanes.wait();
      for (std::size_t lane = 0; lane < 3; ++lane) lanes.try_pop(lane);
    }
    lanes.close();
    for (Thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace braid::flow
