#include "braid/base/virtual_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid {
namespace {

using testing::ElementsAre;

SteadyTime at_ms(int ms) { return SteadyTime(Milliseconds(ms)); }

TEST(VirtualClockTest, TimeStandsStillWhileNobodyWaits) {
  VirtualClock clock(at_ms(7));
  EXPECT_EQ(clock.now(), at_ms(7));
  EXPECT_EQ(clock.now(), at_ms(7));
}

TEST(VirtualClockTest, SleepJumpsToItsEndAndNotBeyond) {
  VirtualClock clock;
  clock.sleep_for(Milliseconds(3'600'000));
  EXPECT_EQ(clock.now(), at_ms(3'600'000));
  clock.sleep_until(at_ms(5));
  EXPECT_EQ(clock.now(), at_ms(3'600'000));
}

TEST(VirtualClockTest, SleepersWakeInOrderOfTimeAndOfStartAtEqualTimes) {
  VirtualClock clock;
  std::vector<std::string> order;
  {
    std::vector<Thread> threads;
    for (const auto& [name, ms] : {std::pair{"late", 30}, {"early", 10}, {"middle", 20}, {"also early", 10}})
      threads.emplace_back(clock, name, [&, name = std::string(name), ms = ms] {
        clock.sleep_for(Milliseconds(ms));
        EXPECT_EQ(clock.now(), at_ms(ms));
        order.push_back(name);
      });
  }
  EXPECT_THAT(order, ElementsAre("early", "also early", "middle", "late"));
  EXPECT_EQ(clock.now(), at_ms(30));
}

TEST(VirtualClockTest, OneThreadRunsAtATime) {
  VirtualClock clock;
  int running = 0;
  const auto body = [&] {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(++running, 1);
      --running;
      clock.sleep_for(Milliseconds(1));
    }
  };
  Thread one(clock, "one", body);
  Thread two(clock, "two", body);
  one.join();
  two.join();
  EXPECT_EQ(clock.now(), at_ms(50));
}

TEST(VirtualClockTest, NotifiedThreadsRunBeforeTimeMoves) {
  VirtualClock clock;
  std::mutex mutex;
  Signal signal(clock);
  bool ready = false;
  SteadyTime woken;
  Thread waiter(clock, "waiter", [&] {
    std::unique_lock lock(mutex);
    signal.wait(lock, [&] { return ready; });
    woken = clock.now();
  });
  clock.sleep_for(Milliseconds(5));
  {
    std::lock_guard lock(mutex);
    ready = true;
    signal.notify_all();
  }
  clock.sleep_for(Milliseconds(5));
  EXPECT_EQ(woken, at_ms(5));
}

TEST(VirtualClockTest, NotifyWakesOnlyThoseWhoWaitOnThatSignal) {
  VirtualClock clock;
  std::mutex mutex;
  Signal mine(clock);
  Signal other(clock);
  int looks = 0;
  Thread waiter(clock, "waiter", [&] {
    std::unique_lock lock(mutex);
    mine.wait_until(lock, at_ms(10), [&] { return ++looks > 100; });
  });
  clock.sleep_for(Milliseconds(1));
  other.notify_all();
  clock.sleep_for(Milliseconds(1));
  EXPECT_EQ(looks, 1);
  waiter.join();
}

TEST(VirtualClockTest, ReadyThreadsRunInTheOrderInWhichTheyBecameReady) {
  VirtualClock clock;
  std::mutex mutex;
  Signal first(clock);
  Signal second(clock);
  bool go = false;
  std::vector<std::string> order;
  const auto waiter = [&](std::string name, Signal& signal) {
    return Thread(clock, name, [&, name] {
      std::unique_lock lock(mutex);
      signal.wait(lock, [&] { return go; });
      order.push_back(name);
    });
  };
  Thread a = waiter("a", second);
  Thread b = waiter("b", first);
  clock.sleep_for(Milliseconds(1));
  go = true;
  first.notify_all();
  second.notify_all();
  a.join(), b.join();
  EXPECT_THAT(order, ElementsAre("b", "a"));
}

TEST(SignalTest, WaitUntilGivesUpAtItsTime) {
  VirtualClock clock;
  std::mutex mutex;
  Signal signal(clock);
  std::unique_lock lock(mutex);
  EXPECT_FALSE(signal.wait_until(lock, at_ms(20), [] { return false; }));
  EXPECT_EQ(clock.now(), at_ms(20));
}

TEST(SignalTest, WaitUntilReturnsWhenItsPredicateComesTrue) {
  VirtualClock clock;
  std::mutex mutex;
  Signal signal(clock);
  bool ready = false;
  Thread setter(clock, "setter", [&] {
    clock.sleep_for(Milliseconds(4));
    std::lock_guard lock(mutex);
    ready = true;
    signal.notify_all();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(signal.wait_until(lock, at_ms(20), [&] { return ready; }));
  EXPECT_EQ(clock.now(), at_ms(4));
}

TEST(SignalTest, WaitForWhatIsAlreadyTrueDoesNotBlock) {
  VirtualClock clock;
  std::mutex mutex;
  Signal signal(clock);
  std::unique_lock lock(mutex);
  EXPECT_TRUE(signal.wait_until(lock, at_ms(20), [] { return true; }));
  EXPECT_EQ(clock.now(), at_ms(0));
}

TEST(ThreadTest, JoinWaitsForTheBodyAndMayBeRepeated) {
  VirtualClock clock;
  bool done = false;
  Thread thread(clock, "worker", [&] {
    clock.sleep_for(Milliseconds(10));
    done = true;
  });
  EXPECT_FALSE(done);
  thread.join();
  EXPECT_TRUE(done);
  EXPECT_FALSE(thread.joinable());
  thread.join();
}

TEST(ThreadTest, AssignmentJoinsTheOldThread) {
  VirtualClock clock;
  bool first_done = false;
  Thread thread(clock, "first", [&] {
    clock.sleep_for(Milliseconds(10));
    first_done = true;
  });
  thread = Thread(clock, "second", [] {});
  EXPECT_TRUE(first_done);
  EXPECT_TRUE(thread.joinable());
}

TEST(ThreadTest, ThreadsMayStartThreads) {
  VirtualClock clock;
  std::vector<std::string> order;
  Thread outer(clock, "outer", [&] {
    Thread inner(clock, "inner", [&] {
      clock.sleep_for(Milliseconds(1));
      order.push_back("inner");
    });
    inner.join();
    order.push_back("outer");
  });
  outer.join();
  EXPECT_THAT(order, ElementsAre("inner", "outer"));
}

TEST(VirtualClockTest, RunsRepeatToTheLastInterleaving) {
  const auto run = [] {
    VirtualClock clock;
    std::string order;
    std::vector<Thread> threads;
    for (char name = 'a'; name < 'e'; ++name)
      threads.emplace_back(clock, std::string(1, name), [&, name] {
        for (int i = 1; i < 20; ++i) {
          order += name;
          clock.sleep_for(Milliseconds((name * 7 + i * 13) % 5));
        }
      });
    for (Thread& thread : threads) thread.join();
    return order;
  };
  const std::string first = run();
  EXPECT_EQ(first.size(), 4U * 19U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(run(), first);
}

TEST(VirtualClockDeathTest, StandstillIsReportedWithTheThreadsNames) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        VirtualClock clock;
        std::mutex mutex;
        Signal signal(clock);
        std::unique_lock lock(mutex);
        signal.wait(lock, [] { return false; });
      },
      "virtual time stands still at 0.000000 s.*main");
}

TEST(RealClockTest, WaitUntilThePastReturnsAtOnceAndTimeDoesNotGoBack) {
  RealClock clock;
  const SteadyTime before = clock.now();
  clock.sleep_until(before);
  clock.sleep_for(Nanoseconds(1));
  EXPECT_GT(clock.now(), before);
}

}  // namespace
}  // namespace braid
