#pragma once
// Sound as Whisper sees it.

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace braid::sync {

/// The log-mel spectrogram of Whisper (Radford et al., Robust Speech Recognition via Large-Scale Weak
/// Supervision, 2022) of 8 s, with the sound brought to mean 0 and variance 1 first. One thread.
class LogMel {
 public:
  static constexpr int kSamples = 128'000;  // of 16 kHz
  static constexpr int kFrames = 800;       // one each 10 ms
  static constexpr int kMels = 80;

  LogMel();
  /// `sound`: its last kSamples count; silence goes before it where there are fewer. `out`: [kMels][kFrames].
  void compute(std::span<const float> sound, std::span<float> out);

 private:
  static constexpr int kWindow = 400;  // samples of a frame
  static constexpr int kHop = 160;
  static constexpr int kBins = kWindow / 2 + 1;
  using Spectrum = std::array<std::complex<double>, kWindow>;

  /// The bins that a mel band takes, and how much of each.
  struct Band {
    int first = 0;
    std::vector<double> weights;
  };

  void pad(std::span<const float> sound);
  void transform();
  void add_frame(int frame, double sign, std::span<float> out);

  Spectrum roots_;  // of unity
  std::array<double, kWindow> window_;
  std::array<Band, kMels> bands_;
  std::vector<double> padded_;  // [kWindow / 2 + kSamples + kWindow / 2]
  Spectrum spectrum_, scratch_;
};

}  // namespace braid::sync
