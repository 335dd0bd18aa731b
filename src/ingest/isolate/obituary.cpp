#include "isolate/obituary.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "isolate/guard.h"

namespace braid::ingest::isolate {

namespace {

constexpr const char* kDamaged =
    "the file is damaged or made to do harm; check it with ffprobe, or write it anew with ffmpeg";

std::string where(const Life& life) {
  return life.opened ? fmt::format("after {:.2f} s of it", to_seconds(life.last)) : "while it was opened";
}

template <class... Args>
Error about(const Life& life, ErrorCode code, bool retryable, fmt::format_string<Args...> format,
            Args&&... args) {
  return {code,
          fmt::format("{}: the process that decodes it {}", life.target,
                      fmt::format(format, std::forward<Args>(args)...)),
          retryable};
}

Error of_signal(const Life& life, int signal) {
  switch (signal) {
    case SIGPROF:
      return about(life, ErrorCode::kLimit, false,
                   "computed for {:.1f} s {} and gave nothing; expected something sooner; {}",
                   to_seconds(life.patience), where(life), kDamaged);
    case SIGXCPU:
      return about(life, ErrorCode::kLimit, false,
                   "computed for {:.0f} s, which is as much as may be spent on one input, and was ended {}; "
                   "send less at once",
                   to_seconds(life.computing), where(life));
    case SIGSYS:
      return about(life, ErrorCode::kBadInput, false, "tried what no decoder has to do and was ended {}; {}",
                   where(life), kDamaged);
    case SIGKILL:
    case SIGTERM:
      return about(
          life, ErrorCode::kResource, true,
          "was killed by somebody else {} (is there memory left?); expected it to live to the end; try again",
          where(life));
    default:
      return about(life, ErrorCode::kBadInput, false, "crashed ({}) {}; {}", strsignal(signal), where(life),
                   kDamaged);
  }
}

}  // namespace

Error obituary(const Life& life, const std::optional<Word>& end) {
  if (end && end->of == Word::Of::kFailure)
    return about(life, ErrorCode::kResource, true,
                 "could not be started ({}); close other programs or raise ulimit -u",
                 std::strerror(end->value));
  if (!end || WIFSIGNALED(end->value)) return of_signal(life, end ? WTERMSIG(end->value) : SIGKILL);
  switch (WEXITSTATUS(end->value)) {
    case kNoMemory:
      return about(life, ErrorCode::kLimit, false,
                   "needs more than {} bytes of memory {}; raise max_decoder_bytes if it is to be trusted",
                   life.memory_bytes, where(life));
    case kUnconfined:
      return about(
          life, ErrorCode::kResource, false,
          "can't be confined: this kernel has no seccomp filters; read what you trust with isolate=off");
    default:
      return about(life, ErrorCode::kBadInput, false, "ended by itself ({}) {}; {}", WEXITSTATUS(end->value),
                   where(life), kDamaged);
  }
}

Error obituary(const Life& life, const Error& broken_promise) {
  return about(life, ErrorCode::kBadInput, false, "sent {} and was ended {}; {}", broken_promise.message,
               where(life), kDamaged);
}

Error obituary(const Life& life, Nanoseconds silent) {
  return about(life, ErrorCode::kLimit, false, "gave nothing for {:.1f} s and was ended {}; {}",
               to_seconds(silent), where(life), kDamaged);
}

}  // namespace braid::ingest::isolate
