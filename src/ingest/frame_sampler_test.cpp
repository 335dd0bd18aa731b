#include "braid/ingest/frame_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;

SessionTime at(double seconds) { return SessionTime(from_seconds(seconds)); }

/// The times taken of pictures `rate` a second, cuts at `cuts`.
std::vector<int> taken_ms(FrameSamplerOptions options, double rate, double length,
                          const std::set<int>& cut_pictures = {}) {
  FrameSampler sampler(options);
  std::vector<int> taken;
  for (int i = 0; i / rate < length; ++i)
    if (sampler.judge(at(i / rate), cut_pictures.contains(i)) != FrameSampler::Pick::kSkip)
      taken.push_back(static_cast<int>(i * 1000 / rate + 0.5));
  return taken;
}

TEST(FrameSampler, TakesTheFirstPictureAtOrAfterEachGridPoint) {
  EXPECT_THAT(taken_ms({.fps = 2, .max_fps = 4}, 25, 2.1), ElementsAre(0, 520, 1000, 1520, 2000));
}

TEST(FrameSampler, TakesEachPictureOnceWhereThereAreFewerThanGridPoints) {
  EXPECT_THAT(taken_ms({.fps = 10, .max_fps = 10}, 4, 1.1), ElementsAre(0, 250, 500, 750, 1000));
}

TEST(FrameSampler, StartsWithTheFirstPictureWhereverItIs) {
  FrameSampler sampler({.fps = 2, .max_fps = 2});
  EXPECT_EQ(sampler.judge(at(1.4), false), FrameSampler::Pick::kGrid);
  EXPECT_EQ(sampler.judge(at(1.49), false), FrameSampler::Pick::kSkip);
  EXPECT_EQ(sampler.judge(at(1.5), false), FrameSampler::Pick::kGrid);
}

TEST(FrameSampler, TakesACutBesideTheGrid) {
  FrameSampler sampler({.fps = 1, .max_fps = 2});
  EXPECT_EQ(sampler.judge(at(0), false), FrameSampler::Pick::kGrid);
  EXPECT_EQ(sampler.judge(at(0.3), true), FrameSampler::Pick::kScene);
  EXPECT_EQ(sampler.judge(at(1.0), true), FrameSampler::Pick::kScene);
}

TEST(FrameSampler, LetsACutThatComesTooSoonWait) {
  EXPECT_THAT(taken_ms({.fps = 1, .max_fps = 3}, 10, 1.0, {2, 3}), ElementsAre(0, 200, 700));
}

TEST(FrameSampler, NeverPassesTheMostFramesASecond) {
  std::set<int> every_picture;
  for (int i = 0; i < 600; ++i) every_picture.insert(i);
  const std::vector<int> taken = taken_ms({.fps = 2, .max_fps = 4}, 30, 20, every_picture);
  EXPECT_LE(taken.size(), 80U);
  EXPECT_GE(taken.size(), 76U);
}

TEST(FrameSampler, ALowerMostTakesTheGridsPlaceAndMarksCutsThere) {
  FrameSampler sampler({.fps = 2, .max_fps = 1});
  EXPECT_EQ(sampler.judge(at(0), false), FrameSampler::Pick::kGrid);
  EXPECT_EQ(sampler.judge(at(0.5), true), FrameSampler::Pick::kSkip);
  EXPECT_EQ(sampler.judge(at(1.0), false), FrameSampler::Pick::kScene);
}

LumaGrid grid_of(int luma) {
  LumaGrid grid;
  grid.fill(static_cast<std::uint8_t>(luma));
  return grid;
}

TEST(SceneDetector, TellsACutFromTheFirstPictureAndFromAStillOne) {
  SceneDetector detector;
  EXPECT_FALSE(detector.changed(grid_of(10)));
  EXPECT_FALSE(detector.changed(grid_of(11)));
  EXPECT_TRUE(detector.changed(grid_of(60)));
  EXPECT_FALSE(detector.changed(grid_of(60)));
}

TEST(SceneDetector, DoesNotTakeSteadyMotionForCuts) {
  SceneDetector detector;
  int cuts = 0;
  for (int i = 0; i < 10; ++i) cuts += detector.changed(grid_of(i % 2 == 0 ? 20 : 60));
  EXPECT_EQ(cuts, 1);
}

TEST(SceneDetector, DoesNotTakeASlowFadeForACut) {
  SceneDetector detector;
  for (int luma = 0; luma < 250; luma += 10) EXPECT_FALSE(detector.changed(grid_of(luma))) << luma;
}

}  // namespace
}  // namespace braid::ingest
