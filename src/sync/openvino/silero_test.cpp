// Silero VAD on real speech, and on what is none.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "utterance_cutter.h"
#include "wav_for_tests.h"

namespace braid::sync {
namespace {

using namespace test;

/// Where set-up puts the model.
std::string model_path() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path root =
      cache && *cache ? std::filesystem::path(cache) : std::filesystem::path(home ? home : "") / ".cache";
  return (root / "braid" / "models" / "silero_vad_openvino_16k.onnx").string();
}

class SileroTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(model_path()))
      GTEST_SKIP() << "no " << model_path() << "; run `make demo` or `make test`";
    auto factory = make_silero_detector(model_path());
    ASSERT_TRUE(factory) << factory.error().message;
    factory_ = std::move(*factory);
  }

  std::vector<Utterance> cut(const Sound& sound) {
    UtteranceCutter cutter({}, factory_->make(), counts_);
    std::vector<Utterance> out;
    cutter.push(block_of(sound), out);
    cutter.finish(out);
    return out;
  }

  std::unique_ptr<SpeechDetectorFactory> factory_;
  SyncCounts counts_;
};

/// Speech in a sample file, by its level (above -50 dB).
struct Sample {
  const char* file;
  double from;  // seconds
  double to;
};

class SileroSpeech : public SileroTest, public testing::WithParamInterface<Sample> {};

TEST_P(SileroSpeech, IsOneUtteranceWithinAQuarterSecondOfItsLimits) {
  const Sound speech = read_wav(std::string("models/nano/samples/") + GetParam().file);
  ASSERT_FALSE(speech.empty()) << GetParam().file;
  Sound sound;
  add_silence(sound, 2.0);
  sound.insert(sound.end(), speech.begin(), speech.end());
  add_silence(sound, 2.0);
  const auto out = cut(sound);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_NEAR(to_seconds(out[0].start), 2.0 + GetParam().from, 0.25);
  EXPECT_NEAR(to_seconds(out[0].end), 2.0 + GetParam().to, 0.25);
  EXPECT_LE(to_seconds(out[0].start), 2.0 + GetParam().from + 0.05);  // a faint breath may go
  EXPECT_GE(to_seconds(out[0].end), 2.0 + GetParam().to);
}

INSTANTIATE_TEST_SUITE_P(Samples, SileroSpeech,
                         testing::Values(Sample{"utterance1.wav", 0.30, 1.78},
                                         Sample{"utterance2.wav", 0.26, 2.64},
                                         Sample{"utterance3.wav", 0.25, 1.23},
                                         Sample{"utterance4.wav", 0.25, 2.37}),
                         [](const auto& tested) { return "utterance" + std::to_string(tested.index + 1); });

TEST_F(SileroTest, SilenceAToneAndNoiseAreNoSpeech) {
  std::mt19937 random(1);
  Sound silence, tone, noise, faint;
  EXPECT_TRUE(cut(add_silence(silence, 20)).empty());
  EXPECT_TRUE(cut(add_tone(tone, 20, 0.2)).empty());
  EXPECT_TRUE(cut(add_noise(noise, 20, 0.2, random)).empty());
  EXPECT_TRUE(cut(add_noise(faint, 20, 0.005, random)).empty());
}

TEST_F(SileroTest, AResetDetectorJudgesAsANewOne) {
  const Sound speech = read_wav("models/nano/samples/utterance1.wav");
  ASSERT_GT(speech.size(), 16384U);
  const auto detector = factory_->make();
  const std::span<const float> frame(speech.data() + 8192, SpeechDetector::kFrame);
  const float first = detector->probability(frame);
  const float second = detector->probability(frame);
  EXPECT_NE(first, second);
  detector->reset();
  EXPECT_EQ(detector->probability(frame), first);
}

TEST_F(SileroTest, DetectorsOfTwoStreamsDoNotDisturbEachOther) {
  const Sound speech = read_wav("models/nano/samples/utterance2.wav");
  const auto alone = factory_->make(), beside = factory_->make(), other = factory_->make();
  std::mt19937 random(2);
  Sound noise;
  add_noise(noise, 0.032, 0.3, random);
  std::vector<float> a, b;
  for (std::size_t i = 0; i + SpeechDetector::kFrame <= speech.size(); i += SpeechDetector::kFrame)
    a.push_back(alone->probability({speech.data() + i, SpeechDetector::kFrame}));
  for (std::size_t i = 0; i + SpeechDetector::kFrame <= speech.size(); i += SpeechDetector::kFrame) {
    other->probability({noise.data(), SpeechDetector::kFrame});
    b.push_back(beside->probability({speech.data() + i, SpeechDetector::kFrame}));
  }
  EXPECT_FALSE(a.empty());
  EXPECT_EQ(a, b);
}

TEST(SileroModel, AMissingFileIsNotFound) {
  const auto factory = make_silero_detector("no/such/model.onnx");
  ASSERT_FALSE(factory);
  EXPECT_EQ(factory.error().code, ErrorCode::kNotFound);
}

TEST(SileroModel, AFileThatIsNoModelIsBadInput) {
  const std::string path = testing::TempDir() + "braid_not_a_model.onnx";
  std::ofstream(path) << "this is no model";
  const auto factory = make_silero_detector(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(factory);
  EXPECT_EQ(factory.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(make_silero_detector(testing::TempDir()).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace braid::sync
