#pragma once
// Passes over logits in blocks of independent lanes, so that the compiler may use vector registers: a float
// maximum or sum may not be reordered otherwise.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

namespace braid::decode {

inline constexpr float kLowest = -std::numeric_limits<float>::infinity();
inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kBlock = 16 * kLanes;

/// Of kBlock values. NaN never wins.
inline float block_max(const float* values) {
  std::array<float, kLanes> best;
  best.fill(kLowest);
  for (std::size_t i = 0; i < kBlock; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      best[lane] = values[i + lane] > best[lane] ? values[i + lane] : best[lane];
  return *std::max_element(best.begin(), best.end());
}

/// -infinity where there is none.
inline float highest_value(std::span<const float> values) {
  float best = kLowest;
  std::size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock) best = std::max(best, block_max(values.data() + i));
  for (; i < values.size(); ++i) best = values[i] > best ? values[i] : best;
  return best;
}

}  // namespace braid::decode
