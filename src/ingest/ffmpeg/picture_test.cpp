#include "picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "luma_grid.h"

namespace braid::ingest::ffmpeg {
namespace {

using Rgb = std::array<int, 3>;

FramePtr picture_of(AVPixelFormat format, int width, int height) {
  FramePtr frame = make_frame();
  frame->format = format;
  frame->width = width;
  frame->height = height;
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  return frame;
}

FramePtr yuv(int y, int u, int v, int width = 64, int height = 64) {
  FramePtr frame = picture_of(AV_PIX_FMT_YUV420P, width, height);
  const std::array values = {y, u, v};
  for (int plane = 0; plane < 3; ++plane)
    std::memset(frame->data[plane], values[static_cast<std::size_t>(plane)],
                static_cast<std::size_t>(frame->linesize[plane]) * (plane == 0 ? height : (height + 1) / 2));
  return frame;
}

FramePtr rgba(std::array<std::uint8_t, 4> left, std::array<std::uint8_t, 4> right, int width, int height) {
  FramePtr frame = picture_of(AV_PIX_FMT_RGBA, width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      std::memcpy(frame->data[0] + y * frame->linesize[0] + 4 * x, x < width / 2 ? left.data() : right.data(),
                  4);
  return frame;
}

Picture converted(const AVFrame& frame, int max_side = 1280, Orientation orientation = {},
                  AVRational aspect = {0, 1}) {
  PictureConverter converter(max_side, 8);
  auto picture = converter.convert(frame, orientation, aspect);
  EXPECT_TRUE(picture) << picture.error().message;
  return picture ? *std::move(picture) : Picture{};
}

Rgb pixel(const Picture& picture, int x, int y) {
  const std::uint8_t* p = picture.pixels.data() + y * picture.stride + 3 * x;
  return {p[0], p[1], p[2]};
}

void expect_near(const Rgb& got, const Rgb& wanted, int tolerance) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << "channel " << i;
}

TEST(PictureSize, IsSquarePixelsCappedAndNeverLarger) {
  const auto size = [](int w, int h, AVRational aspect, bool transpose, int max_side) {
    const PictureSize s = shown_size(w, h, aspect, transpose, max_side);
    return std::pair(s.width, s.height);
  };
  EXPECT_EQ(size(1920, 1080, {1, 1}, false, 1280), std::pair(1280, 720));
  EXPECT_EQ(size(320, 180, {1, 1}, false, 1280), std::pair(320, 180));
  EXPECT_EQ(size(720, 576, {64, 45}, false, 1280), std::pair(1024, 576));
  EXPECT_EQ(size(720, 576, {64, 45}, true, 1280), std::pair(576, 1024));
  EXPECT_EQ(size(8192, 1, {0, 1}, false, 1280), std::pair(1280, 1));
  EXPECT_EQ(size(100, 100, {1, 1000}, false, 1280), std::pair(100, 100));
  EXPECT_EQ(size(4000, 2000, {1, 1}, false, 0), std::pair(4000, 2000));
}

TEST(Picture, FollowsColourMatrixAndRange) {
  FramePtr frame = yuv(63, 102, 240);  // red in BT.709, limited range
  frame->colorspace = AVCOL_SPC_BT709;
  expect_near(pixel(converted(*frame), 30, 30), {255, 0, 0}, 3);
  frame = yuv(81, 90, 240);  // red in BT.601, limited range
  frame->colorspace = AVCOL_SPC_SMPTE170M;
  expect_near(pixel(converted(*frame), 30, 30), {255, 0, 0}, 3);
  frame = yuv(76, 85, 255);  // red in BT.601, full range
  frame->color_range = AVCOL_RANGE_JPEG;
  expect_near(pixel(converted(*frame), 30, 30), {254, 0, 0}, 3);
}

TEST(Picture, KeepsDarkLevelsOfFullRange) {
  FramePtr frame = yuv(16, 128, 128);
  expect_near(pixel(converted(*frame), 30, 30), {0, 0, 0}, 1);
  frame->color_range = AVCOL_RANGE_JPEG;
  expect_near(pixel(converted(*frame), 30, 30), {16, 16, 16}, 1);
}

TEST(Picture, TakesUntaggedPicturesForWhatTheirSizeSays) {
  expect_near(pixel(converted(*yuv(81, 90, 240)), 30, 30), {255, 0, 0}, 3);
  expect_near(pixel(converted(*yuv(63, 102, 240, 1280, 720)), 30, 30), {255, 0, 0}, 3);
}

TEST(Picture, KeepsGreyLevels) {
  FramePtr frame = picture_of(AV_PIX_FMT_GRAY8, 64, 64);
  std::memset(frame->data[0], 200, static_cast<std::size_t>(frame->linesize[0]) * 64);
  expect_near(pixel(converted(*frame), 10, 10), {200, 200, 200}, 1);
}

TEST(Picture, CopiesRgbOfTheRightSizeExactly) {
  FramePtr frame = picture_of(AV_PIX_FMT_RGB24, 101, 67);
  for (int y = 0; y < 67; ++y)
    for (int x = 0; x < 303; ++x)
      frame->data[0][y * frame->linesize[0] + x] = static_cast<std::uint8_t>(x * 7 + y * 13);
  const Picture picture = converted(*frame);
  EXPECT_EQ(picture.width, 101);
  for (int y = 0; y < 67; ++y)
    ASSERT_EQ(
        std::memcmp(picture.pixels.data() + y * picture.stride, frame->data[0] + y * frame->linesize[0], 303),
        0);
}

TEST(Picture, PutsAlphaOnBlackWithoutBleeding) {
  const Picture same = converted(*rgba({255, 0, 0, 0}, {0, 255, 0, 128}, 64, 64));
  EXPECT_EQ(pixel(same, 10, 10), (Rgb{0, 0, 0}));
  EXPECT_EQ(pixel(same, 50, 10), (Rgb{0, 128, 0}));
  const Picture smaller = converted(*rgba({255, 0, 0, 0}, {0, 255, 0, 255}, 64, 64), 20);
  for (int x = 0; x < 20; ++x) EXPECT_EQ(pixel(smaller, x, 10)[0], 0) << x;
}

TEST(Picture, TurnsAndCapsTogether) {
  const Picture picture =
      converted(*rgba({255, 0, 0, 255}, {0, 255, 0, 255}, 200, 100), 50, {.transpose = true});
  EXPECT_EQ(picture.width, 25);
  EXPECT_EQ(picture.height, 50);
  expect_near(pixel(picture, 12, 5), {255, 0, 0}, 1);
  expect_near(pixel(picture, 12, 45), {0, 255, 0}, 1);
}

TEST(Picture, SaysWhenAllSlotsAreHeldAndGoesOnWhenOneIsFree) {
  PictureConverter converter(1280, 2);
  const FramePtr frame = yuv(100, 128, 128);
  auto first = converter.convert(*frame, {}, {0, 1});
  auto second = converter.convert(*frame, {}, {0, 1});
  ASSERT_TRUE(first && second);
  auto third = converter.convert(*frame, {}, {0, 1});
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, ErrorCode::kFull);
  first->pixels.reset();
  EXPECT_TRUE(converter.convert(*frame, {}, {0, 1}));
}

TEST(Picture, FollowsAChangeOfSizeAndFormat) {
  PictureConverter converter(1280, 4);
  auto small = converter.convert(*yuv(81, 90, 240), {}, {0, 1});
  auto large = converter.convert(*yuv(81, 90, 240, 640, 360), {}, {0, 1});
  auto other = converter.convert(*rgba({9, 8, 7, 255}, {9, 8, 7, 255}, 64, 64), {}, {0, 1});
  ASSERT_TRUE(small && large && other);
  EXPECT_EQ(large->width, 640);
  expect_near(pixel(*small, 1, 1), {255, 0, 0}, 3);
  EXPECT_EQ(pixel(*other, 1, 1), (Rgb{9, 8, 7}));
}

TEST(LumaGrid, ReadsBrightnessOfManyFormats) {
  LumaGrid grid;
  ASSERT_TRUE(read_luma_grid(*yuv(90, 128, 128, 33, 17), grid));
  EXPECT_THAT(grid, ::testing::Each(90));
  ASSERT_TRUE(read_luma_grid(*rgba({0, 10, 0, 255}, {0, 200, 0, 255}, 64, 64), grid));
  EXPECT_EQ(grid[0], 10);
  EXPECT_EQ(grid[15], 200);
  FramePtr deep = picture_of(AV_PIX_FMT_YUV420P10LE, 64, 64);
  for (int i = 0; i < 64 * deep->linesize[0] / 2; ++i)
    reinterpret_cast<std::uint16_t*>(deep->data[0])[i] = 4 * 77 + 3;
  ASSERT_TRUE(read_luma_grid(*deep, grid));
  EXPECT_THAT(grid, ::testing::Each(77));
}

TEST(LumaGrid, ReadsPackedYuvAndPalettes) {
  LumaGrid grid;
  FramePtr packed = picture_of(AV_PIX_FMT_UYVY422, 64, 64);
  for (int i = 0; i < 64 * packed->linesize[0]; ++i) packed->data[0][i] = i % 2 ? 55 : 128;
  ASSERT_TRUE(read_luma_grid(*packed, grid));
  EXPECT_THAT(grid, ::testing::Each(55));
  FramePtr palette = picture_of(AV_PIX_FMT_PAL8, 64, 64);
  std::memset(palette->data[0], 3, static_cast<std::size_t>(palette->linesize[0]) * 64);
  palette->data[1][4 * 3 + 1] = 42;
  ASSERT_TRUE(read_luma_grid(*palette, grid));
  EXPECT_THAT(grid, ::testing::Each(42));
}

TEST(LumaGrid, GivesNothingForFormatsItCantRead) {
  LumaGrid grid;
  EXPECT_FALSE(read_luma_grid(*picture_of(AV_PIX_FMT_MONOBLACK, 64, 64), grid));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
