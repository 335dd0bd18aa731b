#pragma once
// Has whoever spoke finished, or only paused?

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "braid/base/result.h"

namespace braid::sync {

/// Thread-safe: one call at a time is computed, others wait.
class TurnModel {
 public:
  static constexpr int kSampleRate = 16000;         // Hz
  static constexpr int kSamples = 8 * kSampleRate;  // the last ones of a longer turn count

  virtual ~TurnModel() = default;
  /// [n] mono samples, -1..1: the turn so far and about 200 ms of the silence after it -> probability that it
  /// is over, 0..1; none: it can't be told. Blocks while it computes, some 30 to 100 ms of one CPU.
  virtual std::optional<float> finished(std::span<const float> turn) = 0;
};

/// Smart Turn v3 by OpenVINO, one CPU thread, from `smart-turn-v3.2-cpu.onnx` (Daily, Smart Turn, 2025).
/// kNotFound, kBadInput: the model file; kUnsupported: this build has no OpenVINO.
Result<std::unique_ptr<TurnModel>> make_smart_turn(const std::string& model_path);

}  // namespace braid::sync
