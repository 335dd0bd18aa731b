#include "clock/lower_hull.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace braid::sync {
namespace {

/// b lies on or above the line from a to c.
bool above(const DelayPoint& a, const DelayPoint& b, const DelayPoint& c) {
  return (b.delay - a.delay) * (c.at - a.at) >= (c.delay - a.delay) * (b.at - a.at);
}

}  // namespace

DelayLine line_under_of_slope(std::span<const DelayPoint> points, double slope) {
  const auto least =
      std::min_element(points.begin(), points.end(), [slope](const DelayPoint& a, const DelayPoint& b) {
        return a.delay - slope * a.at < b.delay - slope * b.at;
      });
  return {*least, slope};
}

DelayLine line_under(std::span<DelayPoint> points, double steepest) {
  double mean = 0;
  for (const DelayPoint& point : points) mean += point.at / static_cast<double>(points.size());
  std::size_t kept = 0;
  for (const DelayPoint point : points) {
    if (kept > 0 && point.at <= points[kept - 1].at) {
      points[kept - 1].delay = std::min(points[kept - 1].delay, point.delay);
      continue;
    }
    while (kept >= 2 && above(points[kept - 2], points[kept - 1], point)) --kept;
    points[kept++] = point;
  }
  const auto hull = points.first(kept);
  if (kept < 2) return {hull[0], 0};
  std::size_t right = 1;
  while (right + 1 < kept && hull[right].at < mean) ++right;
  const DelayPoint& a = hull[right - 1];
  const DelayPoint& b = hull[right];
  const double slope = (b.delay - a.delay) / (b.at - a.at);
  if (std::abs(slope) <= steepest) return {a, slope};
  return line_under_of_slope(hull, std::copysign(steepest, slope));
}

}  // namespace braid::sync
