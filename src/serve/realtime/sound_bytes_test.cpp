#include "realtime/sound_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace braid::serve {
namespace {

using openai::SoundFormat;

/// A second of a tone as 16-bit PCM.
std::string tone(double hz, int rate) {
  std::string bytes;
  for (int i = 0; i < rate; ++i) {
    const auto value =
        static_cast<std::int16_t>(std::lround(16'000 * std::sin(2 * std::numbers::pi * hz * i / rate)));
    bytes += static_cast<char>(value & 0xFF);
    bytes += static_cast<char>(value >> 8 & 0xFF);
  }
  return bytes;
}

std::vector<float> decoded(std::string_view bytes, SoundFormat format) {
  std::vector<float> out;
  SoundDecoder().decode(bytes, format, out);
  return out;
}

double loudness(const std::vector<float>& samples) {
  double sum = 0;
  for (const float sample : samples) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

TEST(SoundDecoder, ATonePassesAsItIs) {
  const auto samples = decoded(tone(1000, 24'000), SoundFormat::kPcm16);
  ASSERT_EQ(samples.size(), 16'000U);
  EXPECT_NEAR(loudness(samples), 16'000 / 32'768.0 / std::numbers::sqrt2, 0.005);
  // 16 input samples late.
  for (std::size_t i = 2000; i < 2100; ++i) {
    const double t = static_cast<double>(i) / 16'000 - 15.75 / 24'000;
    EXPECT_NEAR(samples[i], 0.4883 * std::sin(2 * std::numbers::pi * 1000 * t), 0.01);
  }
}

TEST(SoundDecoder, WhatLiesAboveTheNewNyquistFrequencyDoesNotComeBackBelow) {
  EXPECT_LT(loudness(decoded(tone(9500, 24'000), SoundFormat::kPcm16)), 0.003);
}

TEST(SoundDecoder, TheResultDoesNotDependOnHowItWasCut) {
  const std::string bytes = tone(440, 24'000);
  const auto whole = decoded(bytes, SoundFormat::kPcm16);
  SoundDecoder decoder;
  std::vector<float> pieces;
  std::size_t at = 0;
  for (std::size_t length = 2; at < bytes.size(); at += length, length = 2 + (length * 7 + 2) % 1500)
    decoder.decode(std::string_view(bytes).substr(at, length -= length % 2), SoundFormat::kPcm16, pieces);
  EXPECT_EQ(pieces, whole);
}

TEST(SoundDecoder, G711IsReadByItsTables) {
  // First input samples only; the filter's sum over a constant is the constant.
  const auto level = [](char byte, SoundFormat format) {
    return decoded(std::string(400, byte), format).back() * 32'768;
  };
  EXPECT_NEAR(level('\x80', SoundFormat::kPcmu), 32'124, 40);
  EXPECT_NEAR(level('\x00', SoundFormat::kPcmu), -32'124, 40);
  EXPECT_NEAR(level('\xFF', SoundFormat::kPcmu), 0, 1);
  EXPECT_NEAR(level('\xAA', SoundFormat::kPcma), 32'256, 40);
  EXPECT_NEAR(level('\x2A', SoundFormat::kPcma), -32'256, 40);
  EXPECT_NEAR(level('\xD5', SoundFormat::kPcma), 8, 1);
}

TEST(SoundDecoder, TelephoneSoundBecomesTwiceAsMany) {
  EXPECT_EQ(decoded(std::string(800, '\xFF'), SoundFormat::kPcmu).size(), 1600U);
}

TEST(WavFile, HoldsItsSamples) {
  const std::string wav = wav_file(std::vector<float>{0.0F, 1.0F, -1.0F, 2.0F}, 16'000);
  EXPECT_EQ(wav.size(), 52U);
  EXPECT_EQ(wav.substr(0, 4), "RIFF");
  EXPECT_EQ(wav.substr(44), std::string("\x00\x00\xFF\x7F\x01\x80\xFF\x7F", 8));
}

}  // namespace
}  // namespace braid::serve
