#include "braid/tensor/slot_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace braid {
namespace {

TEST(SlotPoolTest, GivesDistinctAlignedBuffersUntilAllAreHeld) {
  SlotPool pool(100, 2);
  const Slot one = pool.take().value();
  const Slot two = pool.take().value();
  EXPECT_NE(one.data(), two.data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.data()) % 64, 0U);
  EXPECT_EQ(one.size(), 100U);
  EXPECT_EQ(pool.held(), 2U);
  const auto none = pool.take();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kFull);
  EXPECT_TRUE(none.error().retryable);
}

TEST(SlotPoolTest, LastCopyGivesTheBufferBack) {
  SlotPool pool(8, 1);
  Slot first = pool.take().value();
  Slot copy = first;
  first.reset();
  EXPECT_EQ(pool.held(), 1U);
  EXPECT_FALSE(first);
  EXPECT_TRUE(copy);
  copy = Slot();
  EXPECT_EQ(pool.held(), 0U);
}

TEST(SlotPoolTest, MovingDoesNotCount) {
  SlotPool pool(8, 1);
  Slot first = pool.take().value();
  Slot second = std::move(first);
  EXPECT_EQ(pool.held(), 1U);
  second.reset();
  EXPECT_EQ(pool.held(), 0U);
}

TEST(SlotPoolTest, ReusesTheSameMemory) {
  SlotPool pool(8, 1);
  const std::uint8_t* before = pool.take().value().data();
  EXPECT_EQ(pool.take().value().data(), before);
}

TEST(SlotPoolTest, SlotsOutliveTheirPool) {
  std::optional<SlotPool> pool(std::in_place, 8, 2);
  Slot slot = pool->take().value();
  std::memset(slot.data(), 42, slot.size());
  pool.reset();
  const Slot copy = slot;
  EXPECT_EQ(copy.data()[7], 42);
}

TEST(SlotPoolTest, CopiesMayBeDroppedByDifferentThreads) {
  SlotPool pool(8, 4);
  for (int round = 0; round < 200; ++round) {
    Slot slot = pool.take().value();
    std::thread other([copy = slot]() mutable { copy.reset(); });
    slot.reset();
    other.join();
  }
  EXPECT_EQ(pool.held(), 0U);
}

TEST(SlotPoolTest, WhatIsLentIsNotGivenAgainUntilTheBorrowerLetsItGo) {
  std::vector<std::uint8_t> memory(2 * 64);
  std::array<std::atomic<std::uint32_t>, 2> lent{};
  const auto side = [&](SharedSlots::Side which) {
    return SlotPool({memory.data(), lent.data(), which, nullptr}, 64, 2);
  };
  SlotPool lender = side(SharedSlots::Side::kLender), borrower = side(SharedSlots::Side::kBorrower);
  Slot filled = lender.take().value();
  const std::size_t number = lender.number_of(filled);
  std::memset(filled.data(), 7, filled.size());
  lender.lend(filled);
  filled.reset();
  Slot read = borrower.take(number).value();
  EXPECT_EQ(read.data()[63], 7);
  EXPECT_FALSE(borrower.take(number)) << "lent twice";
  EXPECT_FALSE(borrower.take(2)) << "there are two";
  const Slot other = lender.take().value();
  EXPECT_NE(lender.number_of(other), number);
  EXPECT_FALSE(lender.take());
  Slot copy = read;
  read.reset();
  EXPECT_FALSE(lender.take()) << "a copy still holds it";
  copy.reset();
  EXPECT_EQ(lender.number_of(lender.take().value()), number);
}

TEST(SlotPoolTest, EmptyHandleIsHarmless) {
  Slot none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0U);
  const Slot copy = none;
  none.reset();
  EXPECT_FALSE(copy);
}

}  // namespace
}  // namespace braid
