#include "braid/base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace braid {
namespace {

TEST(LogTest, AnEntryIsOneLineWhateverIsInIt) {
  testing::internal::CaptureStderr();
  log(LogLevel::kWarning, "{} can't be opened", "a\nbraid: error: forged \x1b[31m.mp4");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "braid: warning: a\\x0abraid: error: forged \\x1b[31m.mp4 can't be opened\n");
}

}  // namespace
}  // namespace braid
