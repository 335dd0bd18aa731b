#include "utterance_cutter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sound_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

constexpr double kFrameSeconds = 0.032;

class UtteranceCutterTest : public testing::Test {
 protected:
  UtteranceCutter make(SyncOptions options = {}) {
    return {options, make_energy_detector()->make(), counts_};
  }

  std::vector<Utterance> cut(const Sound& sound, SyncOptions options = {}) {
    UtteranceCutter cutter = make(options);
    std::vector<Utterance> out;
    cutter.push(block_of(sound), out);
    cutter.finish(out);
    return out;
  }

  SyncCounts counts_;
};

double seconds(SessionTime t) { return to_seconds(t); }
double length(const Utterance& u) { return to_seconds(u.end - u.start); }

TEST_F(UtteranceCutterTest, SpeechBetweenSilencesIsOneUtteranceWithPrerollAndPostroll) {
  Sound sound;
  add_silence(add_tone(add_silence(sound, 1.0), 0.8), 1.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NEAR(seconds(out[0].start), 1.0 - 0.2, kFrameSeconds);
  EXPECT_LE(seconds(out[0].start), 0.8);
  EXPECT_NEAR(seconds(out[0].end), 1.8 + 0.1, kFrameSeconds);
  EXPECT_GE(seconds(out[0].end), 1.9);
}

TEST_F(UtteranceCutterTest, AnUtteranceHoldsTheSamplesOfItsSpan) {
  Sound sound;
  std::mt19937 random(7);
  add_silence(add_noise(add_silence(sound, 0.7), 1.1, 0.3, random), 0.9);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 1U);
  const std::size_t from = samples_in(seconds(out[0].start));
  const Sound expected(sound.begin() + static_cast<std::ptrdiff_t>(from),
                       sound.begin() + static_cast<std::ptrdiff_t>(samples_in(seconds(out[0].end))));
  EXPECT_EQ(out[0].samples, expected);
  EXPECT_EQ(out[0].sample_rate, 16000);
}

TEST_F(UtteranceCutterTest, SilenceGivesNothing) {
  Sound sound;
  EXPECT_TRUE(cut(add_silence(sound, 30)).empty());
}

TEST_F(UtteranceCutterTest, PrerollDoesNotReachBeforeTheSoundsBegin) {
  Sound sound;
  add_silence(add_tone(add_silence(sound, 0.05), 0.5), 1.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].start, kSessionStart);
}

TEST_F(UtteranceCutterTest, PrerollDoesNotRepeatTheUtteranceBefore) {
  SyncOptions options;
  options.preroll = Milliseconds(1000);
  Sound sound;
  for (int i = 0; i < 3; ++i) add_silence(add_tone(sound, 0.5), 0.5);
  const auto out = cut(sound, options);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[1].start, out[0].end);
  EXPECT_EQ(out[2].start, out[1].end);
}

TEST_F(UtteranceCutterTest, APauseShorterThanEndSilenceDoesNotSplit) {
  Sound sound;
  add_silence(add_tone(add_silence(add_tone(sound, 0.5), 0.3), 0.5), 1.0);
  EXPECT_EQ(cut(sound).size(), 1U);
}

TEST_F(UtteranceCutterTest, APauseOfEndSilenceSplits) {
  Sound sound;
  add_silence(add_tone(add_silence(add_tone(sound, 0.5), 0.45), 0.5), 1.0);
  EXPECT_EQ(cut(sound).size(), 2U);
}

TEST_F(UtteranceCutterTest, SpeechThatFadesGoesOnAboveTheLowerThreshold) {
  Sound sound;  // loudness 0.0148 is a probability of 0.37: too quiet to start, loud enough to go on
  add_silence(add_tone(add_silence(sound, 0.5), 1.0, 0.021), 0.6);
  EXPECT_TRUE(cut(sound).empty());
  Sound faded;
  add_silence(add_tone(add_tone(add_silence(faded, 0.5), 0.3), 1.0, 0.021), 0.6);
  const auto out = cut(faded);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NEAR(seconds(out[0].end), 1.8 + 0.1, kFrameSeconds);
}

TEST_F(UtteranceCutterTest, ABurstShorterThanMinSpeechIsNoise) {
  Sound sound;
  add_silence(add_tone(add_silence(sound, 0.512), 0.05), 1.0);
  EXPECT_TRUE(cut(sound).empty());
  EXPECT_EQ(counts_.noise_bursts, 1U);
}

TEST_F(UtteranceCutterTest, LongSpeechIsSplitAtItsQuietestPoint) {
  Sound sound;
  std::mt19937 random(3);
  add_noise(add_silence(sound, 0.5), 4.8, 0.5, random);  // up to 5.3 s
  add_noise(sound, 0.06, 0.1, random);                   // quieter, still speech
  add_silence(add_noise(sound, 3.0, 0.5, random), 1.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_GT(seconds(out[0].end), 5.3);
  EXPECT_LT(seconds(out[0].end), 5.36);
  EXPECT_EQ(out[1].start, out[0].end);
}

TEST_F(UtteranceCutterTest, AQuietPointBeforeTheLastThirdIsNotTaken) {
  Sound sound;
  std::mt19937 random(4);
  add_noise(sound, 2.0, 0.5, random);
  add_noise(sound, 0.06, 0.08, random);
  add_silence(add_noise(sound, 6.0, 0.5, random), 1.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_GE(length(out[0]), 4.0);
}

TEST_F(UtteranceCutterTest, NoUtteranceIsLongerThanSixSecondsAndNoneIsLost) {
  Sound sound;
  std::mt19937 random(5);
  add_silence(add_noise(add_silence(sound, 0.3), 40.0, 0.5, random), 1.0);
  const auto out = cut(sound);
  ASSERT_GE(out.size(), 7U);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_LE(out[i].end - out[i].start, Milliseconds(6000));
    EXPECT_EQ(out[i].start, i == 0 ? out[i].start : out[i - 1].end);
  }
  EXPECT_LE(seconds(out.front().start), 0.3);
  EXPECT_GE(seconds(out.back().end), 40.3);
}

TEST_F(UtteranceCutterTest, AHoleEndsAnUtteranceAndTimesComeFromStamps) {
  Sound sound;
  add_tone(sound, 1.0);
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  cutter.push(block_of(sound, at(2.0)), out);
  cutter.push(block_of(sound, at(3.2)), out);
  cutter.finish(out);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].start, at(2.0));
  EXPECT_EQ(out[0].end, at(3.0));
  EXPECT_EQ(out[1].start, at(3.2));
  EXPECT_EQ(out[1].end, at(4.2));
}

class CountingDetector final : public SpeechDetector {
 public:
  explicit CountingDetector(int& resets) : resets_(resets) {}
  float probability(std::span<const float>) override { return 0; }
  void reset() override { ++resets_; }

 private:
  int& resets_;
};

TEST_F(UtteranceCutterTest, AHoleResetsTheDetectorAndRoundedStampsDoNot) {
  int resets = 0;
  UtteranceCutter cutter({}, std::make_unique<CountingDetector>(resets), counts_);
  std::vector<Utterance> out;
  Sound sound;
  add_silence(sound, 0.1);
  cutter.push(block_of(sound, at(1.0)), out);
  EXPECT_EQ(resets, 1);
  cutter.push(block_of(sound, at(1.101)), out);
  cutter.push(block_of(sound, at(1.199)), out);
  EXPECT_EQ(resets, 1);
  cutter.push(block_of(sound, at(1.32)), out);
  EXPECT_EQ(resets, 2);
}

TEST_F(UtteranceCutterTest, ADriftingSendersTimesAreFollowed) {
  Sound sound;
  add_silence(add_tone(add_silence(sound, 59.0), 0.5), 0.5);
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  for (std::size_t i = 0; i < sound.size(); i += 1600) {
    AudioBlock block = block_of(sound, i, i + 1600);
    block.start += (block.start - kSessionStart) / 1000;  // a tenth of a percent: 60 ms in a minute
    cutter.push(block, out);
  }
  cutter.finish(out);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NEAR(seconds(out[0].end), 59.659, kFrameSeconds + 0.003);
  EXPECT_GT(seconds(out[0].end), 59.655);
}

TEST_F(UtteranceCutterTest, APromiseBeyondTheSoundEndsTheUtterance) {
  Sound sound;
  add_tone(sound, 1.0);
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  cutter.push(block_of(sound), out);
  cutter.promise(at(1.0), out);
  EXPECT_TRUE(out.empty());
  cutter.promise(at(1.5), out);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].end, at(1.0));
  EXPECT_EQ(cutter.bound(), at(1.5));
}

TEST_F(UtteranceCutterTest, SoundAtAnotherRateGivesTheSameTimes) {
  AudioBlock block;
  block.sample_rate = 48000;
  block.samples.assign(3 * 48000, 0.0F);
  for (std::size_t i = 48000; i < 2 * 48000; ++i)
    block.samples[i] = 0.3F * static_cast<float>(std::sin(0.05 * static_cast<double>(i)));
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  cutter.push(block, out);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NEAR(seconds(out[0].start), 0.8, kFrameSeconds);
  EXPECT_NEAR(seconds(out[0].end), 2.1, kFrameSeconds);
  EXPECT_EQ(out[0].sample_rate, 16000);
  EXPECT_EQ(out[0].samples.size(), samples_in(length(out[0])));
}

TEST_F(UtteranceCutterTest, SamplesThatAreNoNumbersAreSilence) {
  Sound sound(32000, std::numeric_limits<float>::quiet_NaN());
  add_silence(add_tone(sound, 0.5, 3e38), 1.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_THAT(out[0].samples, testing::Each(testing::AllOf(testing::Ge(-1.0F), testing::Le(1.0F))));
}

TEST_F(UtteranceCutterTest, ImpossibleBlocksAreIgnoredAndCounted) {
  Sound sound;
  add_tone(sound, 1.0);
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  for (const int rate : {0, -16000, 1, std::numeric_limits<int>::max()}) {
    AudioBlock block = block_of(sound);
    block.sample_rate = rate;
    cutter.push(block, out);
  }
  cutter.push(block_of(sound, SessionTime::max()), out);
  cutter.push(block_of(sound, SessionTime::min()), out);
  cutter.finish(out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(counts_.bad_audio, 6U);
}

TEST_F(UtteranceCutterTest, ADriftingSendersSoundHasNoHoles) {
  int resets = 0;
  UtteranceCutter cutter({}, std::make_unique<CountingDetector>(resets), counts_);
  std::vector<Utterance> out;
  Sound sound;
  add_silence(sound, 0.1);
  for (int i = 0; i < 600; ++i) cutter.push(block_of(sound, at(0.1001 * i)), out);  // 60 ms in a minute
  EXPECT_EQ(resets, 1);
}

TEST_F(UtteranceCutterTest, SilenceAtTheLengthLimitIsNoUtteranceOfItsOwn) {
  for (const double spoken : {5.6, 5.7, 5.75, 5.9}) {
    Sound sound;
    const auto out = cut(add_silence(add_tone(sound, spoken), 1.0));
    ASSERT_EQ(out.size(), 1U) << spoken;
    EXPECT_GE(seconds(out[0].end), std::min(6.0, spoken + 0.1)) << spoken;
  }
}

TEST_F(UtteranceCutterTest, AnUtterancesTraceIsThatOfItsLastSpeech) {
  Sound sound;
  add_silence(add_tone(sound, 0.96), 1.0);
  UtteranceCutter cutter = make();
  std::vector<Utterance> out;
  for (std::size_t i = 0; i < sound.size(); i += 512) {
    AudioBlock block = block_of(sound, i, i + 512);
    block.trace.enter(Stage::kSync, SteadyTime(Nanoseconds(static_cast<std::int64_t>(i))));
    cutter.push(block, out);
  }
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].trace.begin(), SteadyTime(Nanoseconds(samples_in(0.96) - 512)));
}

}  // namespace
}  // namespace braid::sync
