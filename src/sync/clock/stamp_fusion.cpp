#include "braid/sync/stamp_fusion.h"

#include <algorithm>

namespace braid::sync {

std::optional<SessionTime> StampFusion::fuse(std::span<const std::optional<SessionTime>> stamps) {
  stamps = stamps.first(std::min(stamps.size(), kStamps));
  std::array<SessionTime, kStamps> there;
  std::size_t n = 0;
  for (const auto& stamp : stamps)
    if (stamp) there[n++] = *stamp;
  if (n == 0) return std::nullopt;
  SessionTime fused = there[0];
  if (n >= 2) fused = std::min(there[0], there[1]);
  if (n == 3) fused = std::max(fused, std::min(std::max(there[0], there[1]), there[2]));
  const auto apart = [](SessionTime a, SessionTime b) {  // wide enough for any two
    return static_cast<std::uint64_t>(std::max(a, b).time_since_epoch().count()) -
           static_cast<std::uint64_t>(std::min(a, b).time_since_epoch().count());
  };
  for (std::size_t i = 0; i < stamps.size(); ++i)
    if (stamps[i] && apart(*stamps[i], fused) > static_cast<std::uint64_t>(tolerance_.count()))
      ++outliers_[i];
  return fused;
}

}  // namespace braid::sync
