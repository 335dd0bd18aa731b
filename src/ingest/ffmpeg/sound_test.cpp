#include "sound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

extern "C" {
#include <libavutil/channel_layout.h>
}

namespace braid::ingest::ffmpeg {
namespace {

using ::testing::SizeIs;

SessionTime at_ms(double ms) { return SessionTime(from_seconds(ms / 1000)); }

/// A planar float frame; all channels carry `value(i)`.
template <class Value>
FramePtr frame_of(int rate, int channels, int samples, Value value) {
  FramePtr frame = make_frame();
  frame->format = AV_SAMPLE_FMT_FLTP;
  frame->sample_rate = rate;
  frame->nb_samples = samples;
  av_channel_layout_default(&frame->ch_layout, channels);
  EXPECT_EQ(av_frame_get_buffer(frame.get(), 0), 0);
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < samples; ++i)
      reinterpret_cast<float*>(frame->extended_data[c])[i] = static_cast<float>(value(i));
  return frame;
}

FramePtr level(int rate, int channels, int samples, double value) {
  return frame_of(rate, channels, samples, [value](int) { return value; });
}

std::vector<AudioBlock> all(SoundConverter& sound) {
  std::vector<AudioBlock> blocks;
  for (AudioBlock block; sound.pop(block);) blocks.push_back(std::move(block));
  return blocks;
}

std::size_t samples_in(const std::vector<AudioBlock>& blocks) {
  std::size_t samples = 0;
  for (const auto& block : blocks) samples += block.samples.size();
  return samples;
}

TEST(Sound, CutsBlocksOfTheSizeAskedAndTheRestAtTheEnd) {
  SoundConverter sound(512);
  ASSERT_TRUE(sound.push(*level(16000, 1, 1200, 0.5), at_ms(0)));
  EXPECT_THAT(all(sound), SizeIs(2));
  sound.finish();
  const auto rest = all(sound);
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].start, at_ms(64));
  EXPECT_THAT(rest[0].samples, SizeIs(176));
}

class SoundOf : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(SoundOf, AnyRateAndLayoutComesOutAsTheMeanAt16kHz) {
  const auto [rate, channels] = GetParam();
  SoundConverter sound(512);
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(sound.push(*level(rate, channels, rate / 10, 0.25), at_ms(100 * i)));
  sound.finish();
  const auto blocks = all(sound);
  EXPECT_NEAR(static_cast<double>(samples_in(blocks)), 16000, 2);
  ASSERT_GT(blocks.size(), 10U);
  EXPECT_NEAR(blocks[10].samples[100], 0.25, 0.002);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SoundOf,
                         ::testing::Values(std::pair(8000, 1), std::pair(44100, 2), std::pair(48000, 1),
                                           std::pair(22050, 10), std::pair(192000, 2), std::pair(12000, 24)));

TEST(Sound, KeepsAHoleAsAJump) {
  SoundConverter sound(512);
  ASSERT_TRUE(sound.push(*level(16000, 1, 1000, 0.1), at_ms(0)));
  ASSERT_TRUE(sound.push(*level(16000, 1, 1000, 0.2), at_ms(1000)));
  sound.finish();
  const auto blocks = all(sound);
  EXPECT_EQ(samples_in(blocks), 2000U);
  EXPECT_EQ(blocks[1].start + blocks[1].duration(), at_ms(62.5));
  EXPECT_EQ(blocks[2].start, at_ms(1000));
  EXPECT_NEAR(blocks[2].samples[0], 0.2, 0.001);
}

TEST(Sound, CountsSamplesWhereTimesOnlyRound) {
  SoundConverter sound(512);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(sound.push(*level(16000, 1, 1024, 0.1), at_ms(64 * i + (i % 3))));
  const auto blocks = all(sound);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i].start, at_ms(32.0 * static_cast<double>(i)));
}

TEST(Sound, DoesNotDriftFromTheTimesGiven) {
  SoundConverter sound(512);
  SessionTime end{};
  for (int i = 0; i < 500; ++i) {  // each frame claims 1 ms more than its samples
    ASSERT_TRUE(sound.push(*level(16000, 1, 1600, 0.1), at_ms(101 * i)));
    for (const auto& block : all(sound)) {
      EXPECT_GE(block.start, end);
      end = block.start + block.duration();
    }
    EXPECT_LT(std::abs(to_ms(end - at_ms(101 * i + 100))), 75) << i;
  }
}

TEST(Sound, CutsAnOverlapAndWhatIsBeforeTheSession) {
  SoundConverter sound(160);
  ASSERT_TRUE(sound.push(*level(16000, 1, 1600, 0.1), at_ms(-50)));
  ASSERT_TRUE(sound.push(*level(16000, 1, 3200, 0.2), at_ms(-50)));
  sound.finish();
  const auto blocks = all(sound);
  EXPECT_EQ(blocks.front().start, at_ms(0));
  EXPECT_EQ(samples_in(blocks), 2400U);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i].start, blocks[i - 1].start + blocks[i - 1].duration());
}

TEST(Sound, FollowsAChangeOfRateWithoutAGap) {
  SoundConverter sound(512);
  ASSERT_TRUE(sound.push(*level(44100, 2, 44100, 0.3), at_ms(0)));
  ASSERT_TRUE(sound.push(*level(48000, 1, 48000, 0.3), at_ms(1000)));
  sound.finish();
  const auto blocks = all(sound);
  EXPECT_NEAR(static_cast<double>(samples_in(blocks)), 32000, 20);
  for (std::size_t i = 1; i < blocks.size(); ++i)
    EXPECT_LT(blocks[i].start - blocks[i - 1].start - blocks[i - 1].duration(), Milliseconds(1));
}

TEST(Sound, PutsSamplesWithinTheRange) {
  SoundConverter sound(16);
  ASSERT_TRUE(sound.push(*frame_of(16000, 1, 64,
                                   [](int i) {
                                     return i % 2 ? std::numeric_limits<double>::quiet_NaN()
                                                  : 1e9 * (i % 4 == 0 ? 1 : -1);
                                   }),
                         at_ms(0)));
  for (const auto& block : all(sound))
    for (const float sample : block.samples) EXPECT_TRUE(sample >= -1 && sample <= 1) << sample;
}

TEST(Sound, KeepsATonesFrequencyAndPlace) {
  SoundConverter sound(16000);
  const double turn = 2 * std::numbers::pi * 100;
  ASSERT_TRUE(
      sound.push(*frame_of(48000, 1, 48000, [&](int i) { return std::sin(turn * i / 48000); }), at_ms(0)));
  sound.finish();
  const auto blocks = all(sound);
  ASSERT_FALSE(blocks.empty());
  for (std::size_t i = 1000; i < 15000; i += 37)
    EXPECT_NEAR(blocks[0].samples[i], std::sin(turn * static_cast<double>(i) / 16000), 0.02) << i;
}

TEST(Sound, RefusesARateThatMeansNothing) {
  SoundConverter sound(512);
  auto refused = sound.push(*level(100, 1, 100, 0.1), at_ms(0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(sound.push(*level(16000, 1, 512, 0.1), at_ms(0)));
  EXPECT_THAT(all(sound), SizeIs(1));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
