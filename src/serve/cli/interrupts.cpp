#include "cli/interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>

namespace braid::serve {

namespace {

constexpr std::array kHandled = {SIGINT, SIGTERM, SIGHUP};

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kHandled) sigaddset(&set, signal);
  return set;
}

void wake_up(int event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(event, &one, sizeof one);
}

/// Waits until `descriptor` can be read (true) or `event` says stop (false).
bool readable(int descriptor, int event) {
  std::array<pollfd, 2> waits = {{{descriptor, POLLIN, 0}, {event, POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0) {
  }
  return waits[1].revents == 0;
}

int signals_came = -1;  // eventfd, one count a signal; of the one Interrupts there is

std::atomic<int> last_signal = SIGINT;

void note_signal(int signal) {
  const int error = errno;
  last_signal = signal;
  wake_up(signals_came);
  errno = error;
}

}  // namespace

// Our own threads leave the signals to this object's. But a library may have started threads before main
// (OpenBLAS does), which block nothing: a handler takes what is delivered there.
Interrupts::Interrupts(std::function<void(int)> on_signal)
    : on_signal_(std::move(on_signal)), wake_(eventfd(0, EFD_CLOEXEC)) {
  signals_came = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  const sigset_t set = handled_signals();
  for (const int signal : kHandled) sigaction(signal, &action, nullptr);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { listen(); });
}

int Interrupts::last() { return last_signal; }

Interrupts::~Interrupts() {
  wake_up(wake_);
  thread_.join();
  for (const int signal : kHandled) std::signal(signal, SIG_DFL);
  close(std::exchange(signals_came, -1));
  close(wake_);
}

void Interrupts::listen() {
  const sigset_t set = handled_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::uint64_t one = 0;
  for (int count = 1; readable(signals_came, wake_); ++count) {
    if (read(signals_came, &one, sizeof one) != sizeof one) break;
    on_signal_(count);
  }
}

TypedLines::TypedLines(int descriptor, std::function<void(std::string)> on_line, std::function<void()> on_end)
    : descriptor_(descriptor),
      on_line_(std::move(on_line)),
      on_end_(std::move(on_end)),
      wake_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this] { listen(); });
}

TypedLines::~TypedLines() {
  wake_up(wake_);
  thread_.join();
  close(wake_);
}

void TypedLines::listen() {
  constexpr std::size_t kMaxLine = 128 << 10;
  std::string line;
  std::array<char, 4096> bytes;
  while (readable(descriptor_, wake_)) {
    const auto got = read(descriptor_, bytes.data(), bytes.size());
    if (got <= 0) {
      if (!line.empty()) on_line_(std::move(line));
      return on_end_();
    }
    for (const char c : std::string_view(bytes.data(), static_cast<std::size_t>(got))) {
      if (c != '\n') {
        // A line beyond any question's length is kept so long that it is refused as one.
        if (line.size() < kMaxLine) line += c;
      } else if (!line.empty()) {
        on_line_(std::exchange(line, {}));
      }
    }
  }
}

}  // namespace braid::serve
