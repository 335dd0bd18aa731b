#include "braid/engine/device_arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "braid/base/virtual_clock.h"

namespace braid::engine {
namespace {

using testing::ElementsAre;
using Work = DeviceArbiter::Work;

TEST(DeviceArbiterTest, WaitingStepGoesBeforeAnEncodeThatWaitedLonger) {
  VirtualClock clock;
  DeviceArbiter arbiter(clock, true);
  std::vector<std::string> order;
  const auto worker = [&](std::string name, Work work, int start_ms) {
    return Thread(clock, name, [&, name, work, start_ms] {
      clock.sleep_for(Milliseconds(start_ms));
      const auto turn = arbiter.take(work);
      order.push_back(name);
      clock.sleep_for(Milliseconds(10));
    });
  };
  Thread first = worker("encode 1", Work::kEncode, 0);
  Thread second = worker("encode 2", Work::kEncode, 1);
  Thread third = worker("step", Work::kStep, 2);
  first.join(), second.join(), third.join();
  EXPECT_THAT(order, ElementsAre("encode 1", "step", "encode 2"));
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(30)));
}

TEST(DeviceArbiterTest, EncodeLetsOnlySoManyStepsPass) {
  VirtualClock clock;
  DeviceArbiter arbiter(clock, true);
  int steps_before_encode = 0;
  bool encoded = false;
  Thread stepper(clock, "steps", [&] {
    for (int i = 0; i < 100; ++i) {
      const auto turn = arbiter.take(Work::kStep);
      clock.sleep_for(Milliseconds(10));
      steps_before_encode += encoded ? 0 : 1;
    }
  });
  Thread encoder(clock, "encode", [&] {
    clock.sleep_for(Milliseconds(5));
    const auto turn = arbiter.take(Work::kEncode);
    encoded = true;
  });
  stepper.join();
  encoder.join();
  EXPECT_EQ(steps_before_encode, 1 + DeviceArbiter::kPatience);
}

TEST(DeviceArbiterTest, EncodesTakeTurnsInTheOrderTheyAsked) {
  for (const bool exclusive : {true, false}) {
    VirtualClock clock;
    DeviceArbiter arbiter(clock, exclusive);
    std::vector<int> order;
    std::vector<Thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back(clock, "encode", [&, i] {
        clock.sleep_for(Milliseconds(i));
        for (int turn = 0; turn < 3; ++turn) {
          auto mine = arbiter.take(Work::kEncode);
          order.push_back(i);
          clock.sleep_for(Milliseconds(10));
        }
      });
    for (Thread& thread : threads) thread.join();
    EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 0, 1, 2, 0, 1, 2));
  }
}

TEST(DeviceArbiterTest, NobodyWaitsWhereTheDeviceIsShared) {
  VirtualClock clock;
  DeviceArbiter arbiter(clock, false);
  const auto work = [&](Work kind) {
    return Thread(clock, "worker", [&, kind] {
      const auto turn = arbiter.take(kind);
      clock.sleep_for(Milliseconds(10));
    });
  };
  Thread encode = work(Work::kEncode);
  Thread step = work(Work::kStep);
  encode.join(), step.join();
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(10)));
}

TEST(DeviceArbiterTest, MovedTurnIsGivenBackOnce) {
  VirtualClock clock;
  DeviceArbiter arbiter(clock, true);
  {
    auto turn = arbiter.take(Work::kStep);
    const auto moved = std::move(turn);
  }
  const auto again = arbiter.take(Work::kEncode);
  EXPECT_EQ(clock.now(), SteadyTime{});
}

}  // namespace
}  // namespace braid::engine
