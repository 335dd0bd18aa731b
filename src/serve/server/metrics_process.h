#pragma once
// The process as Prometheus' own clients describe theirs.

#include <prometheus/metric_family.h>

#include <vector>

namespace braid::serve {

/// Adds process_cpu_seconds_total, process_resident_memory_bytes, process_open_fds, process_max_fds and
/// process_threads; nothing where there is no /proc.
void add_process_metrics(std::vector<prometheus::MetricFamily>& families);

}  // namespace braid::serve
