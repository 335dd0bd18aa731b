#include "braid/encode/novelty_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace braid::encode {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 180;

class NoveltyFilterTest : public testing::Test {
 protected:
  /// A frame of source 0 with a gradient that is no blank, `seconds` after the session's start.
  Frame frame(double seconds, int width = kWidth, int height = kHeight, int padding = 0) {
    Frame frame = flat(seconds, 0, width, height, padding);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) paint(frame, x, y, static_cast<std::uint8_t>(60 + 100 * x / width));
    return frame;
  }

  Frame flat(double seconds, std::uint8_t luma, int width = kWidth, int height = kHeight, int padding = 0) {
    Frame frame;
    frame.source = SourceId{0};
    frame.captured = kSessionStart + from_seconds(seconds);
    frame.width = width;
    frame.height = height;
    frame.stride = 3 * width + padding;
    SlotPool pool(static_cast<std::size_t>(frame.stride) * static_cast<std::size_t>(height), 1);
    frame.pixels = std::move(*pool.take());
    std::fill_n(frame.pixels.data(), frame.pixels.size(), std::uint8_t{255});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) paint(frame, x, y, luma);
    return frame;
  }

  static void paint(Frame& frame, int x, int y, std::uint8_t luma) {
    std::fill_n(frame.pixels.data() + y * frame.stride + 3 * x, 3, luma);
  }
  static void square(Frame& frame, int left, int top, int side, std::uint8_t luma) {
    for (int y = top; y < top + side; ++y)
      for (int x = left; x < left + side; ++x) paint(frame, x, y, luma);
  }

  NoveltyFilter filter_{{}};
};

TEST_F(NoveltyFilterTest, TheFirstFrameIsNewAndTheSameAgainIsNot) {
  EXPECT_EQ(filter_.judge(frame(0.0)), Novelty::kNew);
  EXPECT_EQ(filter_.judge(frame(0.5)), Novelty::kNothingNew);
}

TEST_F(NoveltyFilterTest, CamerasOfOneSourceAreNotComparedWithEachOther) {
  const auto of_camera = [this](int camera, double seconds) {
    Frame seen = frame(seconds);
    square(seen, 40 + 100 * camera, 60, 40, 255);
    seen.camera = camera;
    return filter_.judge(seen);
  };
  EXPECT_EQ(of_camera(0, 0.0), Novelty::kNew);
  EXPECT_EQ(of_camera(1, 0.1), Novelty::kNew);
  EXPECT_EQ(of_camera(0, 0.5), Novelty::kNothingNew);
  EXPECT_EQ(of_camera(1, 0.6), Novelty::kNothingNew);
  EXPECT_EQ(of_camera(0, 2.0), Novelty::kHeartbeat);
  EXPECT_EQ(of_camera(1, 2.0), Novelty::kNothingNew);
}

TEST_F(NoveltyFilterTest, AnObjectThatAppearsMovesOrGoesIsNew) {
  filter_.judge(frame(0.0));
  Frame appeared = frame(0.5);
  square(appeared, 100, 60, 24, 255);
  EXPECT_EQ(filter_.judge(appeared), Novelty::kNew);
  Frame moved = frame(1.0);
  square(moved, 180, 60, 24, 255);
  EXPECT_EQ(filter_.judge(moved), Novelty::kNew);
  EXPECT_EQ(filter_.judge(moved), Novelty::kNothingNew);
  EXPECT_EQ(filter_.judge(frame(1.5)), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, SensorNoiseIsNothingNew) {
  std::mt19937 random(1);
  filter_.judge(frame(0.0));
  Frame noisy = frame(0.5);
  for (std::size_t i = 0; i < noisy.pixels.size(); ++i)
    noisy.pixels.data()[i] = static_cast<std::uint8_t>(noisy.pixels.data()[i] + random() % 9 - 4);
  EXPECT_EQ(filter_.judge(noisy), Novelty::kNothingNew);
}

TEST_F(NoveltyFilterTest, ASlowFadeIsNoticedAgainstTheLastKeptFrame) {
  Frame fading = frame(0.0);
  filter_.judge(fading);
  int kept = 0;
  for (int step = 1; step <= 30; ++step) {  // one luma level a frame
    for (std::size_t i = 0; i < fading.pixels.size(); ++i) ++fading.pixels.data()[i];
    fading.captured += Milliseconds(10);
    kept += filter_.judge(fading) == Novelty::kNew ? 1 : 0;
  }
  EXPECT_EQ(kept, 2);
}

TEST_F(NoveltyFilterTest, LumaWeighsColoursAsBt601) {
  NoveltyOptions options;
  options.blank_deviation = 0;
  NoveltyFilter filter(options);
  Frame red = flat(0.0, 0);
  filter.judge(red);
  for (std::size_t i = 0; i < red.pixels.size(); i += 3) red.pixels.data()[i] = 30;  // 9 of luma
  EXPECT_EQ(filter.judge(red), Novelty::kNothingNew);
  for (std::size_t i = 0; i < red.pixels.size(); i += 3) red.pixels.data()[i] = 40;  // 12 of luma
  EXPECT_EQ(filter.judge(red), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, AnUnchangedSceneIsKeptAtEachHeartbeat) {
  filter_.judge(frame(0.0));
  EXPECT_EQ(filter_.judge(frame(1.5)), Novelty::kNothingNew);
  EXPECT_EQ(filter_.judge(frame(2.0)), Novelty::kHeartbeat);
  EXPECT_EQ(filter_.judge(frame(3.5)), Novelty::kNothingNew);
  EXPECT_EQ(filter_.judge(frame(4.0)), Novelty::kHeartbeat);
}

TEST_F(NoveltyFilterTest, WithoutAHeartbeatAnUnchangedSceneIsNeverKept) {
  NoveltyOptions options;
  options.heartbeat = Nanoseconds{0};
  NoveltyFilter filter(options);
  filter.judge(frame(0.0));
  EXPECT_EQ(filter.judge(frame(1000.0)), Novelty::kNothingNew);
}

TEST_F(NoveltyFilterTest, ASceneChangeIsKept) {
  filter_.judge(frame(0.0));
  Frame cut = frame(0.1);
  cut.scene_change = true;
  EXPECT_EQ(filter_.judge(cut), Novelty::kScene);
}

TEST_F(NoveltyFilterTest, BlankFramesShowNothing) {
  EXPECT_EQ(filter_.judge(flat(0.0, 0)), Novelty::kBlank);
  EXPECT_EQ(filter_.judge(flat(5.0, 128)), Novelty::kBlank);
  Frame cut = flat(10.0, 255);
  cut.scene_change = true;
  EXPECT_EQ(filter_.judge(cut), Novelty::kBlank);
}

TEST_F(NoveltyFilterTest, AFrameOfOneColourShowsThatColour) {
  const auto coloured = [&](double seconds, std::array<std::uint8_t, 3> rgb) {
    Frame frame = flat(seconds, 0);
    for (std::size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels.data()[i] = rgb[i % 3];
    return frame;
  };
  EXPECT_EQ(filter_.judge(coloured(0.0, {20, 22, 18})), Novelty::kBlank) << "black, as some codecs give it";
  EXPECT_EQ(filter_.judge(coloured(0.5, {254, 0, 0})), Novelty::kNew);
  EXPECT_EQ(filter_.judge(coloured(1.0, {253, 1, 0})), Novelty::kNothingNew);
  EXPECT_EQ(filter_.judge(coloured(1.5, {0, 0, 254})), Novelty::kNew);
  EXPECT_EQ(filter_.judge(flat(2.0, 16)), Novelty::kNew) << "the colour has gone";
  EXPECT_EQ(filter_.judge(flat(2.5, 16)), Novelty::kBlank);
}

TEST_F(NoveltyFilterTest, ASmallDotIsNotBlank) {
  Frame dot = flat(0.0, 0);
  square(dot, 150, 90, 6, 255);
  EXPECT_EQ(filter_.judge(dot), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, AFineTextureIsNotBlankAndNewWhenItGoes) {
  Frame texture = flat(0.0, 0);  // every cell's mean is that of the flat frame below
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) paint(texture, x, y, (x / 3 + y / 3) % 2 == 0 ? 100 : 110);
  EXPECT_EQ(filter_.judge(texture), Novelty::kNew);
  EXPECT_EQ(filter_.judge(flat(0.5, 105)), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, AFaintGradientIsNotBlank) {
  Frame gradient = flat(0.0, 0);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) paint(gradient, x, y, static_cast<std::uint8_t>(100 + 16 * y / kHeight));
  EXPECT_EQ(filter_.judge(gradient), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, ASceneThatEmptiesIsNewOnce) {
  filter_.judge(frame(0.0));
  EXPECT_EQ(filter_.judge(flat(0.5, 110)), Novelty::kNew);
  EXPECT_EQ(filter_.judge(flat(1.0, 110)), Novelty::kBlank);
  EXPECT_EQ(filter_.judge(flat(9.0, 10)), Novelty::kBlank);
  EXPECT_EQ(filter_.judge(frame(9.5)), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, SourcesAreJudgedApart) {
  filter_.judge(frame(0.0));
  Frame other = frame(0.1);
  other.source = SourceId{1};
  EXPECT_EQ(filter_.judge(other), Novelty::kNew);
  EXPECT_EQ(filter_.judge(other), Novelty::kNothingNew);
  EXPECT_EQ(filter_.judge(frame(0.2)), Novelty::kNothingNew);
}

TEST_F(NoveltyFilterTest, PaddingBetweenRowsIsNotLookedAt) {
  EXPECT_EQ(filter_.judge(flat(0.0, 0, 33, 17, 100)), Novelty::kBlank);
}

TEST_F(NoveltyFilterTest, FramesOfAnySizeAreJudged) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 700}, {700, 1}, {15, 17}, {1921, 3}}) {
    NoveltyFilter filter({});
    EXPECT_EQ(filter.judge(flat(0.0, 9, width, height)), Novelty::kBlank) << width << "x" << height;
  }
}

TEST_F(NoveltyFilterTest, AFrameThatCannotBeJudgedIsNew) {
  EXPECT_EQ(filter_.judge(Frame{}), Novelty::kNew);
  Frame lying = flat(0.0, 0);
  lying.height *= 2;
  EXPECT_EQ(filter_.judge(lying), Novelty::kNew);
}

TEST_F(NoveltyFilterTest, SwitchedOffItKeepsEverything) {
  NoveltyOptions options;
  options.enabled = false;
  NoveltyFilter filter(options);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(filter.judge(flat(0.0, 0)), Novelty::kNew);
}

}  // namespace
}  // namespace braid::encode
