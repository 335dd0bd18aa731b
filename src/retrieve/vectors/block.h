#pragma once
// Vectors of one space.

#include <cstdint>
#include <span>
#include <vector>

namespace braid::retrieve {

struct VectorBlock {
  std::size_t dim = 0;
  std::vector<std::int64_t> ids;  ///< ascending
  std::vector<float> values;      ///< [ids, dim]

  std::span<const float> row(std::size_t i) const { return {values.data() + i * dim, dim}; }
};

}  // namespace braid::retrieve
