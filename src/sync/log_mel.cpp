#include "log_mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace braid::sync {

namespace {

constexpr double kRate = 16'000;
constexpr double kLeast = 1e-10;  // power
constexpr double kRange = 8;      // powers of ten under the loudest
// Slaney's scale: linear up to 1 kHz, then 27 steps for each factor of 6.4.
constexpr double kLinearEnd = 1000, kLinearEndMel = 15;
const double kStep = std::log(6.4) / 27;

double to_mel(double hz) {
  return hz < kLinearEnd ? hz * 3 / 200 : kLinearEndMel + std::log(hz / kLinearEnd) / kStep;
}

double to_hz(double mel) {
  return mel < kLinearEndMel ? mel * 200 / 3 : kLinearEnd * std::exp((mel - kLinearEndMel) * kStep);
}

}  // namespace

LogMel::LogMel() : padded_(kSamples + kWindow) {
  for (int i = 0; i < kWindow; ++i) {
    const double angle = 2 * std::numbers::pi * i / kWindow;
    roots_[static_cast<std::size_t>(i)] = std::polar(1.0, -angle);
    window_[static_cast<std::size_t>(i)] = 0.5 - 0.5 * std::cos(angle);
  }
  const double step = to_mel(kRate / 2) / (kMels + 1);
  for (int m = 0; m < kMels; ++m) {
    const double low = to_hz(m * step), middle = to_hz((m + 1) * step), high = to_hz((m + 2) * step);
    Band& band = bands_[static_cast<std::size_t>(m)];
    for (int bin = 0; bin < kBins; ++bin) {
      const double hz = kRate * bin / kWindow;
      const double height = std::min((hz - low) / (middle - low), (high - hz) / (high - middle));
      if (height <= 0) continue;
      if (band.weights.empty()) band.first = bin;
      band.weights.push_back(height * 2 / (high - low));
    }
  }
}

/// The sound in the middle, normalised; what lies around it is its mirror image.
void LogMel::pad(std::span<const float> sound) {
  if (sound.size() > kSamples) sound = sound.last(kSamples);
  constexpr int kHalf = kWindow / 2;
  const std::span<double> middle(padded_.data() + kHalf, kSamples);
  std::fill(middle.begin(), middle.end() - static_cast<std::ptrdiff_t>(sound.size()), 0.0);
  std::copy(sound.begin(), sound.end(), middle.end() - static_cast<std::ptrdiff_t>(sound.size()));
  const double mean = std::accumulate(middle.begin(), middle.end(), 0.0) / kSamples;
  double variance = 0;
  for (const double sample : middle) variance += (sample - mean) * (sample - mean) / kSamples;
  const double scale = 1 / std::sqrt(variance + 1e-7);
  for (double& sample : middle) sample = (sample - mean) * scale;
  for (std::size_t i = 1; i <= kHalf; ++i) {
    padded_[kHalf - i] = middle[i];
    padded_[kHalf + kSamples - 1 + i] = middle[kSamples - 1 - i];
  }
}

/// Of spectrum_, in place: Stockham's order, 400 = 4 * 4 * 5 * 5.
void LogMel::transform() {
  std::size_t stride = 1, length = kWindow;
  for (const std::size_t radix : {4U, 4U, 5U, 5U}) {
    const std::size_t part = length / radix;
    for (std::size_t p = 0; p < part; ++p)
      for (std::size_t q = 0; q < stride; ++q)
        for (std::size_t j = 0; j < radix; ++j) {
          std::complex<double> sum = 0;
          for (std::size_t k = 0; k < radix; ++k)
            sum += spectrum_[q + stride * (p + part * k)] * roots_[j * k % radix * (kWindow / radix)];
          scratch_[q + stride * (radix * p + j)] = sum * roots_[j * p * stride % kWindow];
        }
    spectrum_.swap(scratch_);
    length = part;
    stride *= radix;
  }
}

/// Two real frames went in as real and imaginary part: sign +1 has the first one's spectrum, -1 the other's.
void LogMel::add_frame(int frame, double sign, std::span<float> out) {
  std::array<double, kBins> power;
  for (std::size_t k = 0; k < kBins; ++k)
    power[k] = std::norm(spectrum_[k] + sign * std::conj(spectrum_[(kWindow - k) % kWindow])) / 4;
  for (std::size_t m = 0; m < kMels; ++m) {
    const Band& band = bands_[m];
    const double sum =
        std::inner_product(band.weights.begin(), band.weights.end(), power.begin() + band.first, 0.0);
    out[m * kFrames + static_cast<std::size_t>(frame)] =
        static_cast<float>(std::log10(std::max(sum, kLeast)));
  }
}

void LogMel::compute(std::span<const float> sound, std::span<float> out) {
  pad(sound);
  for (int frame = 0; frame < kFrames; frame += 2) {
    const double* samples = padded_.data() + static_cast<std::ptrdiff_t>(frame) * kHop;
    for (std::size_t i = 0; i < kWindow; ++i)
      spectrum_[i] = {samples[i] * window_[i], samples[i + kHop] * window_[i]};
    transform();
    add_frame(frame, 1, out);
    add_frame(frame + 1, -1, out);
  }
  const float least = *std::max_element(out.begin(), out.end()) - static_cast<float>(kRange);
  for (float& value : out) value = (std::max(value, least) + 4) / 4;
}

}  // namespace braid::sync
