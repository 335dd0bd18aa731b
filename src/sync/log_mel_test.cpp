// Against values of the reference, which tools/turns/reference.py wrote.

#include "log_mel.h"

#include <gtest/gtest.h>

#include "turn_reference_for_tests.h"

namespace braid::sync {
namespace {

TEST(LogMel, IsWhatWhispersOwnExtractorMakes) {
  const auto references = test::read_turn_references();
  ASSERT_EQ(references.size(), 4U);
  LogMel mel;
  std::vector<float> made(static_cast<std::size_t>(LogMel::kMels) * LogMel::kFrames);
  for (const test::TurnReference& reference : references) {
    mel.compute(reference.sound, made);
    float worst = 0;
    for (std::size_t i = 0; i < reference.features.size(); ++i)
      worst = std::max(worst, std::abs(made.at(i * test::kFeatureStep) - reference.features[i]));
    EXPECT_LT(worst, 1e-3F) << reference.file;
    EXPECT_GT(reference.features.size(), 600U);
  }
}

TEST(LogMel, TheLastEightSecondsCount) {
  std::mt19937 random(1);
  test::Sound sound, later;
  test::add_noise(sound, 11, 0.2, random);
  later.assign(sound.end() - LogMel::kSamples, sound.end());
  LogMel mel;
  std::vector<float> a(static_cast<std::size_t>(LogMel::kMels) * LogMel::kFrames), b(a.size());
  mel.compute(sound, a);
  mel.compute(later, b);
  EXPECT_EQ(a, b);
}

TEST(LogMel, SilenceIsFlat) {
  LogMel mel;
  std::vector<float> made(static_cast<std::size_t>(LogMel::kMels) * LogMel::kFrames);
  mel.compute({}, made);
  for (const float value : made) ASSERT_FLOAT_EQ(value, -1.5F);
}

}  // namespace
}  // namespace braid::sync
