// Products of Q8_0 weights as our patch of ggml makes them, against whole numbers that both sides hold
// exactly.

#include <ggml-cpu.h>
#include <ggml.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace braid::engine::llama {
namespace {

constexpr int kBlock = 32;

struct Shape {
  int outputs;
  int inner;
  int rows;
  int threads;
};

class Q8Product : public testing::TestWithParam<Shape> {
 protected:
  // Whole numbers with 127 in each block: the quantiser's scale is 1 and loses nothing.
  std::vector<float> whole(int rows, int columns) {
    std::uniform_int_distribution<int> values(-127, 127);
    std::vector<float> made(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = i % kBlock == 0 ? 127.0F : static_cast<float>(values(random_));
    return made;
  }

  std::mt19937 random_{7};
};

TEST_P(Q8Product, IsExactForWholeNumbers) {
  const auto [m, k, n, threads] = GetParam();
  const std::vector<float> weights = whole(m, k);
  const std::vector<float> rows = whole(n, k);
  const std::unique_ptr<ggml_context, decltype(&ggml_free)> context(
      ggml_init({.mem_size = std::size_t{64} << 20U, .mem_buffer = nullptr, .no_alloc = false}), &ggml_free);
  ggml_tensor* a = ggml_new_tensor_2d(context.get(), GGML_TYPE_Q8_0, k, m);
  ggml_tensor* b = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, k, n);
  ggml_quantize_chunk(GGML_TYPE_Q8_0, weights.data(), a->data, 0, m, k, nullptr);
  std::copy(rows.begin(), rows.end(), static_cast<float*>(b->data));
  ggml_tensor* product = ggml_mul_mat(context.get(), a, b);
  ggml_cgraph* graph = ggml_new_graph(context.get());
  ggml_build_forward_expand(graph, product);
  ASSERT_EQ(ggml_graph_compute_with_ctx(context.get(), graph, threads), GGML_STATUS_SUCCESS);

  const auto* got = static_cast<const float*>(product->data);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double expected = 0.0;
      for (int l = 0; l < k; ++l)
        expected += static_cast<double>(weights[static_cast<std::size_t>(i * k + l)]) *
                    static_cast<double>(rows[static_cast<std::size_t>(j * k + l)]);
      ASSERT_NEAR(got[j * m + i], expected, 1e-5 * std::abs(expected) + 2.0)
          << "row " << j << ", output " << i;
    }
}

// Whole and broken panels of 16 outputs and groups of 4 rows, and fewer panels than threads.
INSTANTIATE_TEST_SUITE_P(Shapes, Q8Product,
                         testing::Values(Shape{16, 32, 1, 1}, Shape{32, 64, 2, 1}, Shape{48, 96, 3, 2},
                                         Shape{192, 576, 5, 2}, Shape{576, 1536, 7, 2},
                                         Shape{576, 576, 50, 3}, Shape{32, 64, 130, 4}, Shape{40, 64, 9, 2},
                                         Shape{8, 64, 4, 2}));

}  // namespace
}  // namespace braid::engine::llama
