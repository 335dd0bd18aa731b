#include "media.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "test_model.h"

namespace braid::engine::llama {
namespace {

TEST(Media, RowsAreTakenTightWhateverTheStride) {
  Frame frame = plain_picture(3, 2, 5);
  for (int i = 0; i < 9; ++i) {
    frame.pixels.data()[i] = static_cast<std::uint8_t>(i);
    frame.pixels.data()[frame.stride + i] = static_cast<std::uint8_t>(100 + i);
  }
  const auto bitmap = bitmap_of(frame);
  ASSERT_TRUE(bitmap);
  ASSERT_EQ(mtmd_bitmap_get_n_bytes(bitmap->get()), 18U);
  const unsigned char* bytes = mtmd_bitmap_get_data(bitmap->get());
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(bytes[i], i);
    EXPECT_EQ(bytes[9 + i], 100 + i);
  }
}

TEST(Media, AnExtremeShapeIsPaddedWithBlackAndOthersKeepTheirSize) {
  EXPECT_EQ(canvas_of(1920, 1080).width, 1920);
  EXPECT_EQ(canvas_of(1920, 1080).height, 1080);
  EXPECT_EQ(canvas_of(1, 1).height, 1);
  const auto bitmap = bitmap_of(plain_picture(8192, 1));
  ASSERT_TRUE(bitmap);
  EXPECT_EQ(mtmd_bitmap_get_nx(bitmap->get()), 8192U);
  EXPECT_EQ(mtmd_bitmap_get_ny(bitmap->get()), 82U);
  EXPECT_EQ(mtmd_bitmap_get_data(bitmap->get())[0], 127);
  EXPECT_EQ(mtmd_bitmap_get_data(bitmap->get())[8192 * 3], 0);
}

TEST(Media, AFrameWhoseSlotIsTooSmallIsRefused) {
  Frame frame = plain_picture(4, 4);
  frame.height = 5;
  EXPECT_EQ(bitmap_of(frame).error().code, ErrorCode::kBadInput);
  frame.height = 4;
  frame.stride = 11;
  EXPECT_EQ(bitmap_of(frame).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(bitmap_of(Frame{}).error().code, ErrorCode::kBadInput);
}

TEST(Media, SoundIsPaddedToWhatEveryEncoderTakesAndCleanedOfWhatIsNoNumber) {
  Utterance utterance;
  utterance.samples = {0.5F, NAN, INFINITY, -0.25F};
  const auto bitmap = bitmap_of(utterance, 16000);
  ASSERT_TRUE(bitmap);
  std::vector<float> samples(mtmd_bitmap_get_n_bytes(bitmap->get()) / sizeof(float));
  std::memcpy(samples.data(), mtmd_bitmap_get_data(bitmap->get()), samples.size() * sizeof(float));
  ASSERT_EQ(samples.size(), 3200U);
  EXPECT_EQ(std::vector<float>(samples.begin(), samples.begin() + 5),
            (std::vector<float>{0.5F, 0, 0, -0.25F, 0}));
}

TEST(Media, EmptyAndEndlessSoundIsRefused) {
  Utterance utterance;
  EXPECT_EQ(bitmap_of(utterance, 16000).error().code, ErrorCode::kBadInput);
  utterance.samples.resize(100);
  utterance.sample_rate = 0;
  EXPECT_EQ(bitmap_of(utterance, 16000).error().code, ErrorCode::kBadInput);
  utterance.sample_rate = 1;
  utterance.samples.resize(121);
  EXPECT_EQ(bitmap_of(utterance, 16000).error().code, ErrorCode::kLimit);
}

TEST(Media, ResamplingKeepsAToneWithinTwoPercent) {
  constexpr double kTone = 300;  // Hz
  const auto tone = [](int rate) {
    std::vector<float> samples(static_cast<std::size_t>(rate));
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = static_cast<float>(std::sin(2 * M_PI * kTone * static_cast<double>(i) / rate));
    return samples;
  };
  for (const int from : {8000, 44100, 48000}) {
    const std::vector<float> got = resample(tone(from), from, 16000);
    ASSERT_NEAR(static_cast<double>(got.size()), 16000, 1) << from;
    // A box filter delays by half its width; compare energies, which that doesn't change.
    double energy = 0;
    for (const float sample : got) energy += sample * sample;
    EXPECT_NEAR(energy / static_cast<double>(got.size()), 0.5, 0.01) << from;
  }
  EXPECT_EQ(resample({1, 2, 3}, 16000, 16000), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace braid::engine::llama
