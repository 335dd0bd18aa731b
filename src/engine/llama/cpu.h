#pragma once
// What this process may use of the CPU, and whether it can run ggml's kernels at all.

#include <optional>
#include <string_view>

#include "braid/base/result.h"

namespace braid::engine::llama {

/// kUnsupported if ggml was compiled for instructions that this CPU (or its hypervisor) doesn't offer.
/// Touches no kernel.
Status check_cpu();

/// "max 100000" gives none, "150000 100000" 1.5 cores; anything else none.
std::optional<double> parse_cpu_max(std::string_view text);

/// Cores under affinity, cut to the cgroup's quota (rounded down); at least 1.
int cores_under(int affinity, std::optional<double> quota);

}  // namespace braid::engine::llama
