#include "tone_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace braid::ingest::ffmpeg {
namespace {

std::array<int, 3> shown(HdrCurve curve, std::array<double, 3> code) {
  std::array<std::uint16_t, 3> pixel{};
  for (std::size_t c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint16_t>(std::lround(65535 * code[c]));
  std::array<std::uint8_t, 3> out{};
  ToneMap(curve).map(reinterpret_cast<const std::uint8_t*>(pixel.data()), 6, 1, 1, out.data(), 3);
  return {out[0], out[1], out[2]};
}

TEST(ToneMap, ShowsReferenceWhiteNearlyWhiteAndBlackBlack) {
  // 203 cd/m² is coded as 0.58 in PQ and 0.75 in HLG (ITU-R BT.2408).
  for (const auto& [curve, white] : {std::pair{HdrCurve::kPq, 0.5807}, std::pair{HdrCurve::kHlg, 0.75}}) {
    for (const int channel : shown(curve, {white, white, white})) EXPECT_NEAR(channel, 237, 4);
    for (const int channel : shown(curve, {0, 0, 0})) EXPECT_EQ(channel, 0);
  }
}

TEST(ToneMap, PressesWhatIsBrighterIntoTheRestInOrder) {
  int last = 0;
  for (double code = 0.3; code <= 1; code += 0.05) {
    const int level = shown(HdrCurve::kPq, {code, code, code})[0];
    EXPECT_GE(level, last) << code;
    last = level;
  }
  EXPECT_GT(last, 250);
}

TEST(ToneMap, KeepsHuesOfBrightColours) {
  const auto [r, g, b] = shown(HdrCurve::kPq, {0.75, 0.4, 0.4});
  EXPECT_GT(r, 200);
  EXPECT_NEAR(g, b, 60);
  EXPECT_LT(std::max(g, b), r - 80);
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
