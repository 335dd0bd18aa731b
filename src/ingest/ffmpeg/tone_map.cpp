#include "tone_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace braid::ingest::ffmpeg {

namespace {

constexpr int kSteps = 4096;
constexpr double kWhite = 203;     // cd/m² of reference white
constexpr double kHlgPeak = 1000;  // cd/m² of the screen that HLG is shown on
constexpr double kKnee = 0.7;      // from here on light is pressed together

/// Code 0..1 to cd/m² (SMPTE ST 2084).
double pq_light(double code) {
  constexpr double kM1 = 2610.0 / 16384, kM2 = 2523.0 / 32, kC1 = 3424.0 / 4096, kC2 = 2413.0 / 128,
                   kC3 = 2392.0 / 128;
  const double root = std::pow(code, 1 / kM2);
  return 10000 * std::pow(std::max(root - kC1, 0.0) / (kC2 - kC3 * root), 1 / kM1);
}

/// Code 0..1 to the scene's light 0..1 (ARIB STD-B67).
double hlg_light(double code) {
  constexpr double kA = 0.17883277, kB = 0.28466892, kC = 0.55991073;
  return code <= 0.5 ? code * code / 3 : (std::exp((code - kC) / kA) + kB) / 12;
}

double srgb_code(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// To at most 1, whatever comes.
double pressed(double light) {
  if (light <= kKnee) return light;
  const double over = light - kKnee, room = 1 - kKnee;
  return kKnee + room * over / (over + room);
}

}  // namespace

ToneMap::ToneMap(HdrCurve curve) : hlg_(curve == HdrCurve::kHlg), linear_(kSteps), coded_(kSteps) {
  for (int i = 0; i < kSteps; ++i) {
    const double share = static_cast<double>(i) / (kSteps - 1);
    linear_[static_cast<std::size_t>(i)] =
        static_cast<float>(hlg_ ? hlg_light(share) : pq_light(share) / kWhite);
    coded_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(std::lround(255 * srgb_code(share)));
  }
}

/// BT.2020 light, 1 for reference white.
std::array<double, 3> ToneMap::light(const std::uint16_t* pixel) const {
  std::array<double, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c) rgb[c] = linear_[pixel[c] >> 4U];
  if (!hlg_) return rgb;
  // A screen of this brightness shows the scene with a gamma of 1.2.
  const double luma = 0.2627 * rgb[0] + 0.6780 * rgb[1] + 0.0593 * rgb[2];
  const double gain = luma > 0 ? kHlgPeak / kWhite * std::pow(luma, 0.2) : 0;
  for (double& channel : rgb) channel *= gain;
  return rgb;
}

void ToneMap::map(const std::uint8_t* from, int from_stride, int width, int height, std::uint8_t* to,
                  int to_stride) const {
  for (int y = 0; y < height; ++y) {
    const auto* pixel =
        reinterpret_cast<const std::uint16_t*>(from + static_cast<std::ptrdiff_t>(y) * from_stride);
    std::uint8_t* out = to + static_cast<std::ptrdiff_t>(y) * to_stride;
    for (int x = 0; x < width; ++x, pixel += 3, out += 3) {
      const auto [r, g, b] = light(pixel);
      const std::array<double, 3> rgb = {std::max(0.0, 1.6605 * r - 0.5876 * g - 0.0728 * b),
                                         std::max(0.0, -0.1246 * r + 1.1329 * g - 0.0083 * b),
                                         std::max(0.0, -0.0182 * r - 0.1006 * g + 1.1187 * b)};
      const double most = std::max({rgb[0], rgb[1], rgb[2]});
      const double scale = most > kKnee ? pressed(most) / most : 1;
      for (std::size_t c = 0; c < 3; ++c)
        out[c] = coded_[static_cast<std::size_t>(std::min(rgb[c] * scale, 1.0) * (kSteps - 1))];
    }
  }
}

}  // namespace braid::ingest::ffmpeg
