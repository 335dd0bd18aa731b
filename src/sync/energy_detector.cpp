#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "braid/sync/speech_detector.h"

namespace braid::sync {

namespace {

class EnergyDetector final : public SpeechDetector {
 public:
  explicit EnergyDetector(float threshold)
      : threshold_(std::max(threshold, std::numeric_limits<float>::min())) {}

  // 0.5 at the threshold, so that the usual two thresholds on probabilities give a hysteresis in loudness.
  float probability(std::span<const float> frame) override {
    const float energy = std::inner_product(frame.begin(), frame.end(), frame.begin(), 0.0F);
    const float loudness = std::sqrt(energy / static_cast<float>(std::max<std::size_t>(frame.size(), 1)));
    return std::min(1.0F, loudness / threshold_ / 2.0F);
  }
  void reset() override {}

 private:
  float threshold_;
};

class EnergyDetectorFactory final : public SpeechDetectorFactory {
 public:
  explicit EnergyDetectorFactory(float threshold) : threshold_(threshold) {}
  std::unique_ptr<SpeechDetector> make() override { return std::make_unique<EnergyDetector>(threshold_); }

 private:
  float threshold_;
};

}  // namespace

std::unique_ptr<SpeechDetectorFactory> make_energy_detector(float threshold) {
  return std::make_unique<EnergyDetectorFactory>(threshold);
}

}  // namespace braid::sync
