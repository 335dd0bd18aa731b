#include "machine_rates.h"

#include <ggml-backend.h>
#include <ggml-cpu.h>
#include <ggml.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace braid::bench {

namespace {

constexpr std::size_t kWordsPerThread = std::size_t{32} << 20;  // 256 MiB

std::uint64_t sum(std::span<const std::uint64_t> words) {
  return std::accumulate(words.begin(), words.end(), std::uint64_t{0});
}

struct Free {
  void operator()(ggml_context* context) const { ggml_free(context); }
  void operator()(ggml_backend_t backend) const { ggml_backend_free(backend); }
  void operator()(ggml_backend_buffer_t buffer) const { ggml_backend_buffer_free(buffer); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr std::int64_t kSide = 2048, kRows = 512;

/// Places the weights in buffers of this type and multiplies. 0: this type doesn't do Q8_0.
double rate_with(Clock& clock, ggml_backend_t backend, ggml_backend_buffer_type_t weights_in) {
  const auto make_context = [] {
    return Owned<ggml_context>(
        ggml_init({ggml_tensor_overhead() * 16 + ggml_graph_overhead(), nullptr, true}));
  };
  const auto weights_context = make_context(), context = make_context();
  ggml_tensor* weights = ggml_new_tensor_2d(weights_context.get(), GGML_TYPE_Q8_0, kSide, kSide);
  ggml_tensor* rows = ggml_new_tensor_2d(context.get(), GGML_TYPE_F32, kSide, kRows);
  const Owned<ggml_backend_buffer> weights_buffer(
      ggml_backend_alloc_ctx_tensors_from_buft(weights_context.get(), weights_in));
  ggml_tensor* product = ggml_mul_mat(context.get(), weights, rows);
  const Owned<ggml_backend_buffer> buffer(ggml_backend_alloc_ctx_tensors(context.get(), backend));
  if (!weights_buffer || !buffer || !ggml_backend_supports_op(backend, product)) return 0;

  std::vector<float> values(static_cast<std::size_t>(kSide * kSide));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 17.0F - 0.5F;
  std::vector<std::uint8_t> packed(ggml_nbytes(weights));
  ggml_quantize_chunk(GGML_TYPE_Q8_0, values.data(), packed.data(), 0, kSide, kSide, nullptr);
  ggml_backend_tensor_set(weights, packed.data(), 0, packed.size());
  ggml_backend_tensor_set(rows, values.data(), 0, ggml_nbytes(rows));
  ggml_cgraph* graph = ggml_new_graph(context.get());
  ggml_build_forward_expand(graph, product);

  double best = 0;
  for (int pass = 0; pass < 12; ++pass) {
    const SteadyTime begin = clock.now();
    ggml_backend_graph_compute(backend, graph);
    best = std::max(best, 2.0 * kSide * kSide * kRows / to_seconds(clock.now() - begin));
  }
  return best;
}

}  // namespace

double memory_read_rate(Clock& clock, int threads) {
  const std::vector<std::uint64_t> words(kWordsPerThread * static_cast<std::size_t>(threads), 1);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads));
  double best = 0;
  for (int pass = 0; pass < 6; ++pass) {
    const SteadyTime begin = clock.now();
    {
      std::vector<Thread> readers;
      for (std::size_t i = 0; i < sums.size(); ++i)
        readers.emplace_back(clock, "reader", [&, i] {
          sums[i] = sum(std::span(words).subspan(i * kWordsPerThread, kWordsPerThread));
        });
    }
    const double seconds = to_seconds(clock.now() - begin);
    // The sums are used, so that the reading isn't optimised away.
    if (sum(sums) == words.size()) best = std::max(best, static_cast<double>(words.size()) * 8 / seconds);
  }
  return best;
}

double matrix_rate(Clock& clock, int threads) {
  const Owned<ggml_backend> backend(ggml_backend_cpu_init());
  ggml_backend_cpu_set_n_threads(backend.get(), threads);
  double best = rate_with(clock, backend.get(), ggml_backend_cpu_buffer_type());
  ggml_backend_dev_t device = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(device);
  const auto extra = reinterpret_cast<ggml_backend_dev_get_extra_bufts_t>(
      ggml_backend_reg_get_proc_address(registry, "ggml_backend_dev_get_extra_bufts"));
  for (auto* type = extra ? extra(device) : nullptr; type && *type; ++type)
    best = std::max(best, rate_with(clock, backend.get(), *type));
  return best;
}

}  // namespace braid::bench
