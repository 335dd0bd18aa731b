#include "isolate/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "isolate/channel.h"
#include "isolate/confine.h"
#include "isolate/decode.h"
#include "isolate/wire.h"

namespace braid::ingest::isolate {

namespace {

struct Child {
  pid_t pid;
  Descriptor teller;  // whom to tell how it ended
};

class Guard {
 public:
  explicit Guard(const OpenSource& open) : open_(open) {}

  int run() {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    own_namespaces_ = unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    signals_ = Descriptor(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    while (wait_and_serve()) {
    }
    _exit(0);  // and the kernel ends the workers
  }

 private:
  bool wait_and_serve() {
    std::vector<pollfd> waits = {{kGuardSocket, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
    for (const Child& child : children_) waits.push_back({child.teller.get(), POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (waits[i + 2].revents != 0) kill(children_[i].pid, SIGKILL);  // nobody wants it any more
    if (waits[1].revents != 0) bury();
    return waits[0].revents == 0 || take_request();
  }

  void bury() {
    signalfd_siginfo info{};
    while (read(signals_.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
      for (auto child = children_.begin(); child != children_.end(); ++child)
        if (child->pid == pid) {
          tell(child->teller, {Word::Of::kEnd, status});
          children_.erase(child);
          break;
        }
  }

  static void tell(const Descriptor& teller, const Word& word) {
    send(teller.get(), {reinterpret_cast<const char*>(&word), sizeof word}, {}, false);
  }

  bool take_request() {
    Received request;
    const Got got = receive(kGuardSocket, request);
    if (got != Got::kMessage) return got == Got::kNothing;
    const auto message = decode_to_worker(request.bytes);
    const auto* open = message ? std::get_if<Open>(&*message) : nullptr;
    if (!open || request.descriptors.size() < 3) return true;
    std::fflush(stderr);
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) become_worker(*open, request.descriptors, self);
    tell(request.descriptors[1], pid < 0 ? Word{Word::Of::kFailure, errno} : Word{Word::Of::kStart, pid});
    if (pid > 0) children_.push_back({pid, std::move(request.descriptors[1])});
    return true;
  }

  [[noreturn]] void become_worker(const Open& open, std::vector<Descriptor>& handed, pid_t guard) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != guard) _exit(kUncaught);
    std::vector<int> above;  // out of the way of the numbers they get
    for (const std::size_t i : {0, 2, 3})
      if (i < handed.size()) above.push_back(fcntl(handed[i].get(), F_DUPFD, kSpoolFile + 1));
    for (std::size_t i = 0; i < above.size(); ++i) dup2(above[i], kChannelSocket + static_cast<int>(i));
    const bool spool = above.size() > 2;
    for (Descriptor& one : handed) static_cast<void>(one.release());  // closed with all others
    if (!open.verbose && !kSanitized) {
      const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(nowhere, STDERR_FILENO);
    }
    close_from(spool ? kSpoolFile + 1 : kSpoolFile);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    _exit(decode_input(open, open_, spool, own_namespaces_));
  }

  const OpenSource& open_;
  Descriptor signals_;
  std::vector<Child> children_;
  bool own_namespaces_ = false;
};

}  // namespace

int guard_main(const OpenSource& open) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kGuardSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    std::fprintf(stderr, "braid-ingest-worker: decodes media for braid, which starts it\n");
    return 2;
  }
  return Guard(open).run();
}

}  // namespace braid::ingest::isolate
