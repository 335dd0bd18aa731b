#include "log_capture.h"

#include <dlfcn.h>

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
#include "braid/ingest/source_spec.h"

namespace braid::ingest::ffmpeg {

namespace {

thread_local std::string last_complaint;
thread_local std::string size_complaint;

void on_line(void* context, int level, const char* format, va_list args) {
  if (level > AV_LOG_WARNING) return;
  std::array<char, 512> line{};
  int print_prefix = 0;
  av_log_format_line2(context, level, format, args, line.data(), static_cast<int>(line.size()),
                      &print_prefix);
  // The line may quote bytes of the file.
  std::string text = without_passwords(to_valid_utf8(line.data()));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  if (text.empty()) return;
  log(LogLevel::kDebug, "ffmpeg: {}", text);
  if (level > AV_LOG_ERROR) return;
  if (const std::size_t at = text.find("Picture size "); at != std::string::npos)
    size_complaint = text.substr(at);
  last_complaint = std::move(text);
}

void say_nothing(const char*, int, const char*, int, const char*, ...) {}

}  // namespace

void capture_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(on_line); });
}

void silence_sound_cards() {
  using Handler = void (*)(const char*, int, const char*, int, const char*, ...);
  // FFmpeg brings ALSA or doesn't; its errors come back by FFmpeg's anyway.
  void* found = dlsym(RTLD_DEFAULT, "snd_lib_error_set_handler");
  if (!found) return;
  reinterpret_cast<int (*)(Handler)>(found)(say_nothing);
}

std::string take_size_complaint() { return std::exchange(size_complaint, {}); }

std::string take_last_complaint() { return std::exchange(last_complaint, {}); }

}  // namespace braid::ingest::ffmpeg
