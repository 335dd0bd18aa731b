// A source's clock allocates nothing while packets come, so its memory is as flat after 10^7 as after one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "braid/sync/source_clock.h"
#include "clock/path_for_tests.h"

namespace {
thread_local std::uint64_t allocations = 0;
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace braid::sync {
namespace {

using namespace test;

TEST(SourceClockMemory, AMillionPacketsAllocateNothing) {
  ClockOptions options;
  options.tick_den = 1'000'000;
  options.wrap_bits = 32;
  SourceClock clock(options);
  Dice dice(1);
  std::int64_t start = 0;
  const std::uint64_t before = allocations;
  for (std::int64_t i = 0; i < 1'000'000; ++i) {
    const std::int64_t now = i * 5'000'000;
    if (i % 50'000 == 0) start = static_cast<std::int64_t>(dice.between(-1e10, 1e10));
    const std::int64_t stamp = (now + start) / 1000 + (i % 777 == 0 ? 1 << 30 : 0);
    clock.observe(stamp & 0xffff'ffff, session(now + dice.there_ns(kWifi)));
    if (i % 100 == 0) clock.reference(stamp, session(now), Milliseconds(1));
    if (i % 100 == 50) clock.exchange({stamp, session(now), session(now), stamp + 8000});
    if (i % 1000 == 0) clock.map(stamp + clock.report().offset.count());
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GE(clock.report().resets, 15U);
  EXPECT_GE(clock.report().count(ClockEvent::kWrap), 1U);
}

}  // namespace
}  // namespace braid::sync
