#include "cpu.h"

#include <fmt/format.h>
#include <ggml-cpu.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "braid/engine/llama_engine.h"

namespace braid::engine {

namespace llama {

namespace {

#if defined(__x86_64__)
std::string missing_instructions() {
  __builtin_cpu_init();
  std::string missing;
  const auto need = [&](int compiled_in, bool offered, const char* name) {
    if (compiled_in && !offered) missing += missing.empty() ? name : fmt::format(", {}", name);
  };
  need(ggml_cpu_has_avx(), __builtin_cpu_supports("avx"), "AVX");
  need(ggml_cpu_has_avx2(), __builtin_cpu_supports("avx2"), "AVX2");
  need(ggml_cpu_has_fma(), __builtin_cpu_supports("fma"), "FMA");
  need(ggml_cpu_has_bmi2(), __builtin_cpu_supports("bmi2"), "BMI2");
  need(ggml_cpu_has_f16c(), __builtin_cpu_supports("f16c"), "F16C");
  need(ggml_cpu_has_avx512(), __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"),
       "AVX-512");
  need(ggml_cpu_has_avx512_vbmi(), __builtin_cpu_supports("avx512vbmi"), "AVX-512 VBMI");
  need(ggml_cpu_has_avx512_vnni(), __builtin_cpu_supports("avx512vnni"), "AVX-512 VNNI");
  need(ggml_cpu_has_avx512_bf16(), __builtin_cpu_supports("avx512bf16"), "AVX-512 BF16");
  need(ggml_cpu_has_avx_vnni(), __builtin_cpu_supports("avxvnni"), "AVX-VNNI");
  return missing;
}
#else
std::string missing_instructions() { return {}; }
#endif

/// The tightest quota of this process's cgroup (v2) and those above it.
std::optional<double> cgroup_quota() {
  std::ifstream own("/proc/self/cgroup");
  std::string line;
  std::optional<double> tightest;
  while (std::getline(own, line)) {
    if (!line.starts_with("0::")) continue;
    for (std::filesystem::path group = line.substr(3);; group = group.parent_path()) {
      std::ifstream file("/sys/fs/cgroup" + group.string() + "/cpu.max");
      std::string text;
      if (std::getline(file, text))
        if (const auto quota = parse_cpu_max(text)) tightest = std::min(tightest.value_or(*quota), *quota);
      if (group == group.parent_path()) break;
    }
  }
  return tightest;
}

int affinity_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace

Status check_cpu() {
  if (const std::string missing = missing_instructions(); !missing.empty())
    return fail(ErrorCode::kUnsupported,
                fmt::format("this build needs {}, which this CPU doesn't offer; build Braid on this machine",
                            missing));
  return {};
}

std::optional<double> parse_cpu_max(std::string_view text) {
  double quota = 0;
  double period = 0;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, quota);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ' ') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc{} || !(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

int cores_under(int affinity, std::optional<double> quota) {
  const int limit = quota && *quota < affinity ? static_cast<int>(*quota) : affinity;
  return std::max(1, limit);
}

}  // namespace llama

int usable_cores() { return llama::cores_under(llama::affinity_cores(), llama::cgroup_quota()); }

}  // namespace braid::engine
