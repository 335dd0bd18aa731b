#include "cli/interrupts.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

namespace braid::serve {
namespace {

// OpenBLAS, for one, starts threads before main(), which block no signal.
TEST(InterruptsTest, TakeSignalsThatReachAThreadStartedBefore) {
  std::promise<void> end;
  std::thread foreign([&] { end.get_future().wait(); });
  std::promise<int> third;
  {
    Interrupts interrupts([&](int count) {
      if (count == 3) third.set_value(count);
    });
    for (int i = 0; i < 2; ++i) pthread_kill(foreign.native_handle(), SIGINT);
    kill(getpid(), SIGTERM);
    // Signals of one kind may fall together.
    auto came = third.get_future();
    while (came.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      pthread_kill(foreign.native_handle(), SIGINT);
  }
  end.set_value();
  foreign.join();
}

}  // namespace
}  // namespace braid::serve
