#pragma once
// Row-major float matrix in host memory: embeddings, logits.

#include <cstddef>
#include <span>
#include <vector>

namespace braid {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // [rows, columns] f32, no padding

  Matrix() = default;
  Matrix(std::size_t n_rows, std::size_t n_columns)
      : rows(n_rows), columns(n_columns), values(n_rows * n_columns) {}

  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  std::span<float> row(std::size_t i) { return {values.data() + i * columns, columns}; }
};

}  // namespace braid
