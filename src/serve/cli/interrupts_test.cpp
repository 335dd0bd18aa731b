#include "cli/interrupts.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace braid::serve {
namespace {

// OpenBLAS, for one, starts threads before main(), which block no signal.
TEST(InterruptsTest, TakeSignalsThatReachAThreadStartedBefore) {
  // It comes up now and then: ThreadSanitizer keeps a signal back while a thread is in most system calls.
  std::atomic<bool> end = false;
  std::thread foreign([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
    while (!end) usleep(1000);
  });
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
  end = true;
  foreign.join();
}

TEST(TypedLinesTest, GiveWholeLinesAndTheLastWithoutItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::vector<std::string> lines;
  std::promise<void> ended;
  const std::string text = "one\n\n" + std::string(9000, 'x') + "\nlast";
  ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  {
    TypedLines typed(
        ends[0], [&](std::string line) { lines.push_back(std::move(line)); }, [&] { ended.set_value(); });
    ended.get_future().wait();
  }
  close(ends[0]);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", std::string(9000, 'x'), "last"}));
}

}  // namespace
}  // namespace braid::serve
