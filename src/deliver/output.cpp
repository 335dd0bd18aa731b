#include "output.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

namespace braid::deliver {

namespace {

/// Keeps SIGPIPE from this thread: a library must not change what the whole process does with a signal.
class PipeSignalGuard {
 public:
  PipeSignalGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalGuard() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalGuard(const PipeSignalGuard&) = delete;
  PipeSignalGuard& operator=(const PipeSignalGuard&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

void Output::write(std::string_view bytes) {
  if (error_ != 0) return;
  const PipeSignalGuard guard;
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  if (!written || std::fflush(file_) != 0) error_ = errno != 0 ? errno : EIO;
}

Status Output::status() const {
  const int error = error_;
  if (error == 0) return {};
  if (error == EPIPE) return fail(ErrorCode::kCancelled, "the reader closed its end of the pipe");
  return fail(ErrorCode::kResource, fmt::format("can't write the output: {}", std::strerror(error)));
}

bool Output::is_terminal() const { return isatty(fileno(file_)) == 1; }

}  // namespace braid::deliver
