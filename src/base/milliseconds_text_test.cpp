#include "braid/base/milliseconds_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace braid {
namespace {

TEST(MillisecondsTextTest, IsExactWithoutExponents) {
  EXPECT_EQ(milliseconds_text(Nanoseconds(0)), "0");
  EXPECT_EQ(milliseconds_text(Nanoseconds(1)), "0.000001");
  EXPECT_EQ(milliseconds_text(Microseconds(83'500)), "83.5");
  EXPECT_EQ(milliseconds_text(Nanoseconds(-1'500'000)), "-1.5");
  EXPECT_EQ(milliseconds_text(Milliseconds(1'000'000'000)), "1000000000");
  EXPECT_EQ(milliseconds_text(Nanoseconds(std::numeric_limits<std::int64_t>::max())), "9223372036854.775807");
}

}  // namespace
}  // namespace braid
