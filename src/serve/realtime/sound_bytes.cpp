#include "realtime/sound_bytes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace braid::serve {

namespace {

using openai::SoundFormat;

// Tables 1a and 2a of G.711, as arithmetic; of 16 bits.
int from_ulaw(std::uint8_t byte) {
  const unsigned code = static_cast<std::uint8_t>(~byte);
  const int magnitude = static_cast<int>((((code & 0x0FU) << 3U) + 0x84U) << ((code >> 4U) & 7U)) - 0x84;
  return (code & 0x80U) != 0 ? -magnitude : magnitude;
}

int from_alaw(std::uint8_t byte) {
  const unsigned code = byte ^ 0x55U;
  const unsigned segment = (code >> 4U) & 7U;
  const unsigned step = ((code & 0x0FU) << 4U) + 8U;
  const int magnitude = static_cast<int>(segment == 0 ? step : (step + 0x100U) << (segment - 1U));
  return (code & 0x80U) != 0 ? magnitude : -magnitude;
}

float sample_at(std::string_view bytes, std::size_t i, SoundFormat format) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  int value = 0;
  if (format == SoundFormat::kPcm16)
    value = static_cast<std::int16_t>(byte(2 * i) | byte(2 * i + 1) << 8U);
  else
    value = format == SoundFormat::kPcmu ? from_ulaw(byte(i)) : from_alaw(byte(i));
  return static_cast<float>(value) / 32768.0F;
}

void append_little_endian(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

}  // namespace

void SoundDecoder::decode(std::string_view bytes, SoundFormat format, std::vector<float>& out) {
  if (!resampler_ || resampler_->rate() != sample_rate(format)) resampler_.emplace(sample_rate(format));
  samples_.resize(bytes.size() / static_cast<std::size_t>(bytes_per_sample(format)));
  for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i] = sample_at(bytes, i, format);
  resampler_->push(samples_, out);
}

std::string wav_file(std::span<const float> samples, int rate) {
  const auto bytes = static_cast<std::uint32_t>(samples.size() * 2);
  std::string wav = "RIFF";
  append_little_endian(wav, bytes + 36, 4);
  wav += "WAVEfmt ";
  append_little_endian(wav, 16, 4);
  append_little_endian(wav, 1, 2);  // PCM
  append_little_endian(wav, 1, 2);  // one channel
  append_little_endian(wav, static_cast<std::uint32_t>(rate), 4);
  append_little_endian(wav, static_cast<std::uint32_t>(rate) * 2, 4);
  append_little_endian(wav, 2, 2);
  append_little_endian(wav, 16, 2);
  wav += "data";
  append_little_endian(wav, bytes, 4);
  for (const float sample : samples) {
    const long value = std::lround(std::clamp(sample, -1.0F, 1.0F) * 32767.0F);
    append_little_endian(wav, static_cast<std::uint32_t>(value), 2);
  }
  return wav;
}

}  // namespace braid::serve
