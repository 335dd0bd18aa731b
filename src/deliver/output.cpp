#include "output.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
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

/// Past stdio, which loses bytes where a non-blocking reader is slow.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd room{descriptor, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

void Output::write(std::string_view bytes) {
  if (error_ != 0) return;
  const PipeSignalGuard guard;
  errno = 0;
  const int descriptor = fileno(file_);
  const bool buffered_out = std::fflush(file_) == 0;
  bool written = false;
  if (descriptor >= 0) {
    written = buffered_out && write_all(descriptor, bytes);
  } else {
    written = std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size() && std::fflush(file_) == 0;
  }
  if (!written) error_ = errno != 0 ? errno : EIO;
}

Status Output::status() const {
  const int error = error_;
  if (error == 0) return {};
  if (error == EPIPE) return fail(ErrorCode::kCancelled, "the reader closed its end of the pipe");
  return fail(ErrorCode::kResource, fmt::format("can't write the output: {}", std::strerror(error)));
}

bool Output::is_terminal() const { return isatty(fileno(file_)) == 1; }

int Output::columns() const {
  winsize size{};
  return ioctl(fileno(file_), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace braid::deliver
