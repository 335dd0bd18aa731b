#include "braid/flow/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

namespace braid::flow {
namespace {

TEST(Ring, GivesBackWhatADequeWouldOverRandomPushesPopsAndTakes) {
  std::mt19937 random(7);
  Ring<int> ring;
  std::deque<int> expected;
  for (int i = 0; i < 20'000; ++i) {
    const auto choice = random() % 5;
    if (choice < 2 || expected.empty()) {
      ring.push_back(i);
      expected.push_back(i);
    } else if (choice < 4) {
      ASSERT_EQ(ring.pop_front(), expected.front());
      expected.pop_front();
    } else {
      const std::size_t at = random() % expected.size();
      ASSERT_EQ(ring.take(at), expected[at]);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
    }
    ASSERT_EQ(ring.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(ring[k], expected[k]);
  }
}

// Moving it copies it, so what a ring forgets to let go of stays held.
struct Holder {
  explicit Holder(std::shared_ptr<int> what) : held(std::move(what)) {}
  Holder(const Holder&) = default;
  Holder& operator=(const Holder&) = default;
  ~Holder() = default;
  std::shared_ptr<int> held;
};

TEST(Ring, LetsGoOfWhatWasTakenOut) {
  Ring<Holder> ring;
  const auto item = std::make_shared<int>(1);
  for (int i = 0; i < 3; ++i) ring.push_back(Holder(item));
  EXPECT_EQ(item.use_count(), 4);
  ring.pop_front();
  EXPECT_EQ(item.use_count(), 3);
  ring.take(1);
  EXPECT_EQ(item.use_count(), 2);
}

TEST(Ring, KeepsItsBlockOnceItHasGrown) {
  Ring<int> ring;
  for (int i = 0; i < 10; ++i) ring.push_back(i);
  for (int round = 0; round < 40; ++round) {
    const int* youngest = &ring[9];
    ring.push_back(ring.pop_front());
    ASSERT_EQ(&ring[8], youngest);
  }
}

}  // namespace
}  // namespace braid::flow
