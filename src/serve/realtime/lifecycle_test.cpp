#include "realtime/lifecycle.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::serve {
namespace {

// Every state with every event, as people read it: I, A, R, C: the next state; '-': illegal, nothing changes.
//                                     ask accept refuse timeout message silence taken stop end
constexpr const char* kExpected[] = {"A------CC",   // IDLE
                                     "-RCC---CC",   // AUTH_PENDING
                                     "----RCCCC",   // RUNNING
                                     "-CCCCCCCC"};  // CLOSING

void lead(Lifecycle& line, LineState to) {
  if (to == LineState::kIdle) return;
  line.take(LineEvent::kAsk);
  if (to == LineState::kRunning) line.take(LineEvent::kAccept);
  if (to == LineState::kClosing) line.take(LineEvent::kRefuse);
}

TEST(Lifecycle, EachEventInEachStateDoesWhatTheTableSays) {
  for (std::size_t s = 0; s < kLineStates; ++s)
    for (std::size_t e = 0; e < kLineEvents; ++e) {
      const auto state = static_cast<LineState>(s);
      const auto event = static_cast<LineEvent>(e);
      std::atomic<std::uint64_t> illegal{0};
      Lifecycle line(illegal);
      lead(line, state);
      ASSERT_EQ(line.state(), state);
      const bool legal = line.take(event);
      const char expected = kExpected[s][e];
      EXPECT_EQ(illegal, legal ? 0U : 1U);
      EXPECT_EQ(legal, expected != '-') << to_string(state) << " " << to_string(event);
      const char now = to_string(line.state())[0];
      EXPECT_EQ(now, legal ? expected : to_string(state)[0]) << to_string(state) << " " << to_string(event);
    }
}

TEST(Lifecycle, OneOfThoseWhoAnswerIsFirst) {
  std::atomic<std::uint64_t> illegal{0};
  Lifecycle line(illegal);
  lead(line, LineState::kAuthPending);
  EXPECT_TRUE(line.take_from(LineState::kAuthPending, LineEvent::kTimeout));
  EXPECT_FALSE(line.take_from(LineState::kAuthPending, LineEvent::kAccept));
  EXPECT_EQ(line.state(), LineState::kClosing);
  EXPECT_EQ(illegal, 0U);
}

TEST(Lifecycle, NothingLeadsOutOfClosingAndEverythingCanEnd) {
  for (std::size_t s = 0; s < kLineStates; ++s) {
    std::atomic<std::uint64_t> illegal{0};
    Lifecycle line(illegal);
    lead(line, static_cast<LineState>(s));
    EXPECT_TRUE(line.take(LineEvent::kEnd));
    for (std::size_t e = 0; e < kLineEvents; ++e) {
      line.take(static_cast<LineEvent>(e));
      EXPECT_EQ(line.state(), LineState::kClosing);
    }
  }
}

}  // namespace
}  // namespace braid::serve
