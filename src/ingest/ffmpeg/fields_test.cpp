#include "fields.h"

#include <gtest/gtest.h>

namespace braid::ingest::ffmpeg {
namespace {

/// A dark picture with a bright bar, which is `shift` px further right in every second line.
FramePtr bar(int shift) {
  FramePtr frame = make_frame();
  frame->format = AV_PIX_FMT_GRAY8;
  frame->width = frame->height = 64;
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const int left = 20 + (y % 2) * shift;
      frame->data[0][y * frame->linesize[0] + x] = x >= left && x < left + 16 ? 200 : 30;
    }
  frame->interlaced_frame = 1;
  return frame;
}

TEST(Fields, AreCombedWhereTwoMomentsAreWoven) { EXPECT_TRUE(is_combed(*bar(8))); }

TEST(Fields, AreLeftWovenWhereNothingMoves) { EXPECT_FALSE(is_combed(*bar(0))); }

TEST(Fields, AreOnlyLookedForWhereThePictureIsSaidToHaveThem) {
  const FramePtr frame = bar(8);
  frame->interlaced_frame = 0;
  EXPECT_FALSE(is_combed(*frame));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
