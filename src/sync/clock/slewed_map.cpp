#include "clock/slewed_map.h"

#include <algorithm>

namespace braid::sync {

std::int64_t SlewedMap::extend(std::int64_t source, std::int64_t target, std::int64_t latest, double rate) {
  if (count_ > 0) {
    const Knot& last = knot(count_ - 1);
    const std::int64_t passed = source - last.source;
    const auto room = static_cast<std::int64_t>(rate * static_cast<double>(passed));
    target = std::clamp(target, last.session + passed - room, last.session + passed + room);
  }
  frontier_ = std::max(frontier_, std::min(target, latest));
  if (count_ == kKnots) {
    first_ = (first_ + 1) % kKnots;
    --count_;
  }
  knots_[(first_ + count_++) % kKnots] = {source, frontier_};
  return frontier_;
}

std::int64_t SlewedMap::at(std::int64_t source) const {
  std::size_t low = 0, high = count_ - 1;  // the first knot not before `source`
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (knot(middle).source < source)
      low = middle + 1;
    else
      high = middle;
  }
  const Knot& right = knot(low);
  if (low == 0 || right.source == source) return right.session;
  const Knot& left = knot(low - 1);
  const double share =
      static_cast<double>(source - left.source) / static_cast<double>(right.source - left.source);
  const auto up = static_cast<std::int64_t>(share * static_cast<double>(right.session - left.session));
  return std::min(left.session + up, right.session);
}

}  // namespace braid::sync
