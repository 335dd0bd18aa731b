#include "quietest_point.h"

#include <algorithm>
#include <numeric>

namespace braid::sync {

namespace {
constexpr std::int64_t kStretch = 320;  // samples, 20 ms: longer than a period of any voice
constexpr std::int64_t kHop = 80;
}  // namespace

void QuietestPoint::restart(std::int64_t from, std::int64_t to) {
  from_ = from;
  to_ = to;
  next_ = from;
  best_ = to;
  least_ = std::numeric_limits<double>::infinity();
}

void QuietestPoint::follow(const SoundRun& run) {
  for (; next_ + kStretch <= std::min(run.end(), to_); next_ += kHop) {
    const auto stretch = run.view(next_, next_ + kStretch);
    const double energy = std::transform_reduce(stretch.begin(), stretch.end(), 0.0, std::plus<>(),
                                                [](float x) { return double{x} * double{x}; });
    if (energy >= least_) continue;
    least_ = energy;
    best_ = next_ + kStretch / 2;
  }
}

}  // namespace braid::sync
