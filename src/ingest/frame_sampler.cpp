#include "braid/ingest/frame_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace braid::ingest {

bool SceneDetector::changed(const LumaGrid& grid) {
  if (!last_) {
    last_ = grid;
    return false;
  }
  int sum = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) sum += std::abs(int{grid[i]} - int{(*last_)[i]});
  const double difference = static_cast<double>(sum) / static_cast<double>(grid.size());
  const double score = std::min(difference, difference - last_difference_);
  last_difference_ = difference;
  last_ = grid;
  return score > kThreshold;
}

FrameSampler::FrameSampler(FrameSamplerOptions options)
    : grid_(from_seconds(1.0 / std::clamp(std::min(options.fps, options.max_fps), 1e-6, 1e6))) {
  const double extra = options.max_fps - options.fps;
  if (extra > 1e-9) scene_gap_ = from_seconds(1.0 / std::clamp(extra, 1e-6, 1e6));
}

FrameSampler::Pick FrameSampler::judge(SessionTime at, bool scene_change) {
  scene_waits_ |= scene_change;
  if (at >= next_grid_) {
    next_grid_ = SessionTime((at.time_since_epoch() / grid_ + 1) * grid_);
    return std::exchange(scene_waits_, false) ? Pick::kScene : Pick::kGrid;
  }
  if (!scene_waits_ || !scene_gap_ || (last_extra_ && at - *last_extra_ < *scene_gap_)) return Pick::kSkip;
  scene_waits_ = false;
  last_extra_ = at;
  return Pick::kScene;
}

}  // namespace braid::ingest
