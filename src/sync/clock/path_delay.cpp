#include "clock/path_delay.h"

#include <algorithm>

namespace braid::sync {

// Nothing arrives before it was sent.
bool PathDelay::is_possible(const Told& told, const DelayFloor& floor) {
  const double delay = told.delay(floor);
  return delay >= -told.error - floor.tolerance(told.at) && delay <= kLongest;
}

bool PathDelay::reference(double at, double offset, double error, const DelayFloor& floor) {
  const Told told{at, offset, error};
  if (!is_possible(told, floor)) return false;
  references_.add(told);
  return true;
}

bool PathDelay::exchange(double at, double back, const DelayFloor& floor) {
  const Told told{.at = at, .offset = back, .halved = true};
  if (!is_possible(told, floor)) return false;
  exchanges_.add(told);
  return true;
}

std::optional<PathDelay::Estimate> PathDelay::middle(const Ring& ring, double at, const DelayFloor& floor) {
  if (ring.size() == 0) return std::nullopt;
  std::array<Estimate, kKept> all;
  for (std::size_t i = 0; i < ring.size(); ++i)
    all[i] = {ring.told[i].delay(floor), ring.told[i].error_at(at, floor)};
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(ring.size());
  std::sort(all.begin(), end, [](const Estimate& a, const Estimate& b) { return a.delay < b.delay; });
  return all[ring.size() / 2];
}

std::optional<PathDelay::Estimate> PathDelay::surest(const Ring& ring, double at, const DelayFloor& floor) {
  std::optional<Estimate> best;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Estimate one{ring.told[i].delay(floor), ring.told[i].error_at(at, floor)};
    if (!best || one.error < best->error) best = one;
  }
  return best;
}

std::optional<PathDelay::Estimate> PathDelay::best(double at, const DelayFloor& floor) const {
  auto reference = middle(references_, at, floor);
  auto exchange = surest(exchanges_, at, floor);
  auto best = !reference || (exchange && exchange->error < reference->error) ? exchange : reference;
  if (best) best->delay = std::max(0.0, best->delay);
  return best;
}

void PathDelay::begin_epoch(const DelayFloor& before) {
  for (Ring* ring : {&references_, &exchanges_})
    for (Told& told : ring->told) told = {0, told.delay(before), told.error_at(told.at, before), true};
}

}  // namespace braid::sync
