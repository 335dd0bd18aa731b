#include "cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "braid/engine/llama_engine.h"

namespace braid::engine::llama {
namespace {

TEST(Cpu, AQuotaIsReadAsCores) {
  EXPECT_EQ(parse_cpu_max("150000 100000"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000"), std::nullopt);
  for (const char* nonsense : {"", "100000", "0 100000", "5 0", "-1 100000", "x y"})
    EXPECT_EQ(parse_cpu_max(nonsense), std::nullopt) << nonsense;
}

TEST(Cpu, NeitherAffinityNorQuotaIsExceeded) {
  EXPECT_EQ(cores_under(8, std::nullopt), 8);
  EXPECT_EQ(cores_under(8, 2.9), 2);
  EXPECT_EQ(cores_under(2, 16.0), 2);
  EXPECT_EQ(cores_under(8, 0.5), 1);
}

TEST(Cpu, OneCoreIsUsableUnderAnAffinityOfOne) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const int usable = usable_cores();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(usable, 1);
}

TEST(Cpu, ThisMachineCanRunWhatWasBuiltOnIt) { EXPECT_TRUE(check_cpu().has_value()); }

}  // namespace
}  // namespace braid::engine::llama
