#pragma once
// Is this sound speech?

#include <memory>
#include <span>
#include <string>

#include "braid/base/result.h"

namespace braid::sync {

/// Judges one stream, frame after frame. One thread.
class SpeechDetector {
 public:
  static constexpr int kSampleRate = 16000;  // Hz
  static constexpr int kFrame = 512;         // samples, 32 ms

  virtual ~SpeechDetector() = default;
  /// [kFrame] mono samples, -1..1, following the last call's -> probability of speech, 0..1.
  virtual float probability(std::span<const float> frame) = 0;
  /// Forgets the past: after a hole in the sound.
  virtual void reset() = 0;
};

/// Makes a detector for each stream; holds what they share (the loaded model).
class SpeechDetectorFactory {
 public:
  virtual ~SpeechDetectorFactory() = default;
  virtual std::unique_ptr<SpeechDetector> make() = 0;
};

/// Speech is what is louder than `threshold` (root mean square, 0..1). For tests and scripted runs.
std::unique_ptr<SpeechDetectorFactory> make_energy_detector(float threshold = 0.02F);

/// Silero VAD by OpenVINO, one CPU thread, from `silero_vad_openvino_16k.onnx` (Silero Team, Silero VAD,
/// 2021). kNotFound, kBadInput: the model file; kUnsupported: this build has no OpenVINO.
Result<std::unique_ptr<SpeechDetectorFactory>> make_silero_detector(const std::string& model_path);

}  // namespace braid::sync
