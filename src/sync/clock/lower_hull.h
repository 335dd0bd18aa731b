#pragma once
// The line under a cloud of delays.

#include <span>

namespace braid::sync {

/// When a packet was stamped and how much later it arrived, both ns from some origin.
struct DelayPoint {
  double at = 0;
  double delay = 0;
};

struct DelayLine {
  DelayPoint through;
  double slope = 0;

  double value(double at) const { return through.delay + slope * (at - through.at); }
};

/// Of all lines that no point lies under, the one with the least sum of distances: the edge of the lower
/// convex hull over the points' mean time (Zhang, Liu, Xia 2002). A slope steeper than `steepest` can be no
/// clock's; then the line is as steep as that, and still under all points. `points` ascend in time, at least
/// one, and are used up: the hull is made in their place.
DelayLine line_under(std::span<DelayPoint> points, double steepest);

/// The line of this slope that touches the cloud from below.
DelayLine line_under_of_slope(std::span<const DelayPoint> points, double slope);

}  // namespace braid::sync
