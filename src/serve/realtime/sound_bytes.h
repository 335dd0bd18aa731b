#pragma once
// Sound as Realtime clients send it, and as files hold it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/openai/realtime_config.h"
#include "realtime/resampler.h"

namespace braid::serve {

/// One client's bytes to 16 kHz. A change of format begins anew. One thread.
class SoundDecoder {
 public:
  /// `bytes`: whole samples: PCM of 16 bits, little endian, or G.711 (ITU-T, 1988). Appends [n] mono samples,
  /// -1..1, to `out`.
  void decode(std::string_view bytes, openai::SoundFormat format, std::vector<float>& out);

 private:
  std::optional<Resampler> resampler_;
  std::vector<float> samples_;  // scratch
};

/// A WAV file of 16 bits.
std::string wav_file(std::span<const float> samples, int rate);

}  // namespace braid::serve
