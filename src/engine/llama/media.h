#pragma once
// Frames and utterances as libmtmd wants them. Nothing from outside may reach one of its asserts.

#include <vector>

#include "braid/packet/packet.h"
#include "handles.h"

namespace braid::engine::llama {

/// What encoders of all families take without tripping; beyond it a medium is padded (small) or refused
/// (large).
inline constexpr int kMaxSide = 16384;  // pixels
inline constexpr int kMaxAspect = 100;  // longer side to shorter
inline constexpr double kMaxSoundSeconds = 120;
inline constexpr double kMinSoundSeconds = 0.2;  // two mel windows of every family

/// The size that a picture of width x height gets: its own, or with black added right or below where one side
/// is more than kMaxAspect times the other.
struct CanvasSize {
  int width = 0, height = 0;
};
CanvasSize canvas_of(int width, int height);

/// kBadInput: no pixels or a shape that doesn't match its buffer. kLimit: larger than kMaxSide.
Result<BitmapHandle> bitmap_of(const Frame& frame);

/// Resampled to `sample_rate` and padded with silence to kMinSoundSeconds; samples that aren't numbers become
/// 0. kBadInput: no samples or no rate. kLimit: longer than kMaxSoundSeconds.
Result<BitmapHandle> bitmap_of(const Utterance& utterance, int sample_rate);

/// Linear interpolation after a box filter of the output's period when going down. Equal rates copy.
std::vector<float> resample(const std::vector<float>& samples, int from_rate, int to_rate);

}  // namespace braid::engine::llama
