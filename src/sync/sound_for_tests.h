#pragma once
// Sound with known contents for the tests of this module.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "braid/packet/packet.h"

namespace braid::sync::test {

inline constexpr int kRate = 16000;  // Hz

using Sound = std::vector<float>;

inline std::size_t samples_in(double seconds) {
  return static_cast<std::size_t>(std::lround(seconds * kRate));
}
inline SessionTime at(double seconds) { return kSessionStart + from_seconds(seconds); }

inline Sound& add_silence(Sound& sound, double seconds) {
  sound.resize(sound.size() + samples_in(seconds), 0.0F);
  return sound;
}

inline Sound& add_tone(Sound& sound, double seconds, double amplitude = 0.3, double hertz = 440) {
  for (std::size_t i = 0, n = samples_in(seconds); i < n; ++i)
    sound.push_back(
        static_cast<float>(amplitude * std::sin(2 * std::numbers::pi * hertz * double(i) / kRate)));
  return sound;
}

/// White noise, evenly spread over ±amplitude.
inline Sound& add_noise(Sound& sound, double seconds, double amplitude, std::mt19937& random) {
  for (std::size_t i = 0, n = samples_in(seconds); i < n; ++i)
    sound.push_back(static_cast<float>(
        amplitude * (2.0 * static_cast<double>(random()) / double(std::mt19937::max()) - 1.0)));
  return sound;
}

/// Samples `from` up to `to` (or the end) as a block of source 0; `sound_start` is the time of sample 0.
inline AudioBlock block_of(const Sound& sound, std::size_t from, std::size_t to,
                           SessionTime sound_start = {}) {
  AudioBlock block;
  block.source = SourceId{0};
  block.start = sound_start + Nanoseconds(static_cast<std::int64_t>(from) * 1'000'000'000 / kRate);
  to = std::min(to, sound.size());
  block.samples.assign(sound.begin() + static_cast<std::ptrdiff_t>(from),
                       sound.begin() + static_cast<std::ptrdiff_t>(to));
  return block;
}
inline AudioBlock block_of(const Sound& sound, SessionTime sound_start = {}) {
  return block_of(sound, 0, sound.size(), sound_start);
}

}  // namespace braid::sync::test
