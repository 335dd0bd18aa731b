#pragma once
// Which of a stream's decoded pictures become frames.

#include <array>
#include <cstdint>
#include <optional>

#include "braid/base/time.h"

namespace braid::ingest {

/// [16, 16] luma samples of a picture, 0..255, row by row.
inline constexpr int kLumaGridSide = 16;
using LumaGrid = std::array<std::uint8_t, kLumaGridSide * kLumaGridSide>;

/// A cut is a picture whose mean absolute luma difference to the picture before is above the threshold and
/// stands out from the difference before it by as much, so that steady motion is none (the score of FFmpeg's
/// select filter). One stream, one thread.
class SceneDetector {
 public:
  static constexpr double kThreshold = 12.0;  // of 255; fast pans stay under 8, cuts are mostly above 20

  /// True if `grid` starts a new scene. The first picture doesn't.
  bool changed(const LumaGrid& grid);

 private:
  std::optional<LumaGrid> last_;
  double last_difference_ = 0;
};

struct FrameSamplerOptions {
  double fps = 2.0;      ///< pictures a second on the grid; > 0
  double max_fps = 4.0;  ///< with scene changes; lower than fps: takes its place
};

/// Takes the first picture at or after each grid point (0, 1/fps, 2/fps ...) and the first picture of each
/// scene. Extra scene pictures are at least 1/(max_fps - fps) apart; one that comes sooner waits, and the
/// next picture that may be taken stands for it. Pure; one stream, times rising.
class FrameSampler {
 public:
  enum class Pick : std::uint8_t { kSkip, kGrid, kScene };

  explicit FrameSampler(FrameSamplerOptions options);
  Pick judge(SessionTime at, bool scene_change);

 private:
  Nanoseconds grid_;
  std::optional<Nanoseconds> scene_gap_;  // none: no extra pictures
  SessionTime next_grid_ = kSessionStart;
  std::optional<SessionTime> last_extra_;
  bool scene_waits_ = false;
};

}  // namespace braid::ingest
