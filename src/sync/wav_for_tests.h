#pragma once
// The test samples' sound.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "sound_for_tests.h"

namespace braid::sync::test {

/// Samples of a 16-bit mono WAV file at 16 kHz; empty if it is none. Little-endian machines only.
inline Sound read_wav(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto read = [&](std::size_t at, auto value) {
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  Sound sound;
  if (bytes.compare(0, 4, "RIFF") != 0) return sound;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t size = read(at + 4, std::uint32_t{});
    const std::string name = bytes.substr(at, 4);
    at += 8;
    if (name == "fmt " && (read(at + 2, std::uint16_t{}) != 1 || read(at + 4, std::uint32_t{}) != kRate))
      return {};
    if (name == "data")
      for (std::size_t i = at; i + 2 <= std::min(bytes.size(), at + size); i += 2)
        sound.push_back(static_cast<float>(read(i, std::int16_t{})) / 32768.0F);
    at += size + size % 2;
  }
  return sound;
}

}  // namespace braid::sync::test
