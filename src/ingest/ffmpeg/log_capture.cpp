#include "log_capture.h"

extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <array>
#include <cstdarg>
#include <mutex>
#include <utility>

#include "braid/base/log.h"
#include "braid/base/utf8.h"

namespace braid::ingest::ffmpeg {

namespace {

thread_local std::string last_complaint;

void on_line(void* context, int level, const char* format, va_list args) {
  if (level > AV_LOG_WARNING) return;
  std::array<char, 512> line{};
  int print_prefix = 0;
  av_log_format_line2(context, level, format, args, line.data(), static_cast<int>(line.size()),
                      &print_prefix);
  // The line may quote bytes of the file.
  std::string text = to_valid_utf8(line.data());
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  if (text.empty()) return;
  log(LogLevel::kDebug, "ffmpeg: {}", text);
  if (level <= AV_LOG_ERROR) last_complaint = std::move(text);
}

}  // namespace

void capture_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(on_line); });
}

std::string take_last_complaint() { return std::exchange(last_complaint, {}); }

}  // namespace braid::ingest::ffmpeg
