#include "log_capture.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/log.h>
}

namespace braid::ingest::ffmpeg {
namespace {

TEST(LogCapture, KeepsTheLastComplaintOnce) {
  capture_log();
  take_last_complaint();
  av_log(nullptr, AV_LOG_ERROR, "first\n");
  av_log(nullptr, AV_LOG_ERROR, "moov atom not found.\n");
  av_log(nullptr, AV_LOG_INFO, "chatter\n");
  EXPECT_EQ(take_last_complaint(), "moov atom not found");
  EXPECT_EQ(take_last_complaint(), "");
}

TEST(LogCapture, MakesQuotedBytesText) {
  capture_log();
  take_last_complaint();
  av_log(nullptr, AV_LOG_ERROR, "bad tag \xbc\x01 here\n");
  EXPECT_EQ(take_last_complaint(), "bad tag \xEF\xBF\xBD  here");
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
