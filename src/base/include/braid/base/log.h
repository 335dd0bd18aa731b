#pragma once
// Diagnostics for people, on stderr. Results never go here. Levels by --log-level; format strings as in fmt.

#include <fmt/format.h>

#include <string>
#include <utility>

namespace braid {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

/// Process-wide; the default is kWarning. Thread-safe.
void set_log_level(LogLevel level);
void log_line(LogLevel level, const std::string& line);  ///< on one line: as printable() gives it
bool log_enabled(LogLevel level);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace braid
