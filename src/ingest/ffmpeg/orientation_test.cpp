#include "orientation.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

extern "C" {
#include <libavutil/display.h>
}

namespace braid::ingest::ffmpeg {
namespace {

/// A 3 x 2 picture of pixels 1 2 3 / 4 5 6, put upright; the first bytes of its pixels, row by row.
std::vector<int> turned(Orientation orientation) {
  std::array<std::uint8_t, 2 * 16> from{};
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 3; ++x)
      from[static_cast<std::size_t>(16 * y + 3 * x)] = static_cast<std::uint8_t>(3 * y + x + 1);
  std::array<std::uint8_t, 3 * 16> to{};
  orient_rgb(from.data(), 16, 3, 2, orientation, to.data(), 16);
  const int width = orientation.transpose ? 2 : 3, height = orientation.transpose ? 3 : 2;
  std::vector<int> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) pixels.push_back(to[static_cast<std::size_t>(16 * y + 3 * x)]);
  return pixels;
}

Orientation clockwise(double degrees, bool mirror_x = false) {
  std::array<std::int32_t, 9> matrix;
  av_display_rotation_set(matrix.data(), degrees);
  if (mirror_x) av_display_matrix_flip(matrix.data(), 1, 0);
  return orientation_of(matrix.data());
}

TEST(Orientation, TurnsByRightAngles) {
  EXPECT_EQ(turned(clockwise(0)), (std::vector{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(turned(clockwise(90)), (std::vector{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(turned(clockwise(180)), (std::vector{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(turned(clockwise(270)), (std::vector{3, 6, 2, 5, 1, 4}));
}

TEST(Orientation, Mirrors) {
  EXPECT_EQ(turned(clockwise(0, true)), (std::vector{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(turned(clockwise(180, true)), (std::vector{4, 5, 6, 1, 2, 3}));
}

TEST(Orientation, TakesOtherAnglesForTheNearestRightOne) {
  EXPECT_EQ(clockwise(80), clockwise(90));
  EXPECT_EQ(clockwise(-10), clockwise(0));
}

TEST(Orientation, TakesAMatrixWithoutMeaningForUpright) {
  const std::array<std::int32_t, 9> zeros{}, flat{65536, 65536, 0, 65536, 65536, 0, 0, 0, 1};
  EXPECT_TRUE(orientation_of(zeros.data()).upright());
  EXPECT_TRUE(orientation_of(flat.data()).upright());
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
