#include "logging.h"

#include <log.h>
#include <mtmd-helper.h>

#include <mutex>

#include "braid/base/log.h"
#include "handles.h"

namespace braid::engine::llama {

namespace {

thread_local std::string fault;

void take_line(ggml_log_level level, const char* text, void*) {
  if (level != GGML_LOG_LEVEL_ERROR && level != GGML_LOG_LEVEL_WARN) return;
  std::string line = text;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  for (char& c : line)
    if (c == '\n') c = ' ';
  if (line.empty()) return;
  log(LogLevel::kDebug, "llama.cpp: {}", line);
  // The first error names the cause; those after it say that something gave up.
  if (level == GGML_LOG_LEVEL_ERROR && fault.empty()) fault = line;
}

}  // namespace

void route_logs() {
  static std::once_flag once;
  std::call_once(once, [] {
    llama_log_set(take_line, nullptr);
    mtmd_helper_log_set(take_line, nullptr);
    common_log_set_verbosity_thold(-1);
  });
}

void clear_fault() { fault.clear(); }
std::string last_fault() { return fault.empty() ? "no reason given" : fault; }

}  // namespace braid::engine::llama
