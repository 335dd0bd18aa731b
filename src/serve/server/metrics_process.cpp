#include "server/metrics_process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace braid::serve {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void add(std::vector<MetricFamily>& families, std::string name, std::string help, MetricType type,
         double value) {
  MetricFamily& family = families.emplace_back(MetricFamily{std::move(name), std::move(help), type, {}});
  auto& metric = family.metric.emplace_back();
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
}

}  // namespace

void add_process_metrics(std::vector<MetricFamily>& families) {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages = 0, resident = 0;
  if (!(statm >> pages >> resident)) return;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  add(families, "process_cpu_seconds_total", "CPU time, user and system", MetricType::Counter,
      seconds(usage.ru_utime) + seconds(usage.ru_stime));
  add(families, "process_resident_memory_bytes", "Resident memory", MetricType::Gauge,
      static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  std::error_code error;
  const auto entries = [&error](const char* folder) {
    std::size_t count = 0;
    for (auto it = std::filesystem::directory_iterator(folder, error);
         !error && it != std::filesystem::directory_iterator(); it.increment(error))
      ++count;
    return static_cast<double>(count);
  };
  add(families, "process_open_fds", "Open file descriptors", MetricType::Gauge, entries("/proc/self/fd"));
  add(families, "process_threads", "Threads", MetricType::Gauge, entries("/proc/self/task"));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    add(families, "process_max_fds", "Most file descriptors there may be", MetricType::Gauge,
        static_cast<double>(limit.rlim_cur));
}

}  // namespace braid::serve
