// For tests: a worker that does what the input's lines say, where the real one would decode it. Lines before
// `run` are done while it is opened, those behind it while it runs.
//   frame N     sends a picture of N x N at the next tenth of a second      line   sends a line: its
//   process's number raw HEX     sends these bytes on the channel                            segv, abort,
//   spin, sleep, exit N, throw eat         takes memory until there is none socket, fork, exec, ptrace, file,
//   kill

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "braid/ingest/open.h"
#include "handed.h"
#include "isolate/channel.h"
#include "isolate/guard.h"

namespace braid::ingest::isolate {
namespace {

std::string content_of(int input) {
  std::string text(1 << 20, '\0');
  const ssize_t got = read(input, text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

[[noreturn]] void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
  _exit(99);
}

void eat() {
  std::vector<std::vector<char>> eaten;
  for (;;) eaten.emplace_back(16 << 20, 'x');
}

void try_calls(const std::string& verb) {
  if (verb == "socket") static_cast<void>(socket(AF_INET, SOCK_STREAM, 0));
  if (verb == "fork") static_cast<void>(fork());
  if (verb == "ptrace") static_cast<void>(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  if (verb == "exec") execl("/bin/true", "true", nullptr);
  if (verb == "kill") kill(getppid(), SIGKILL);
  if (verb == "file" &&
      (open("/etc/passwd", O_RDONLY) >= 0 || open("braid-was-here", O_CREAT | O_WRONLY, 0600) >= 0))
    throw std::runtime_error("a file was opened");
}

/// All that needs no source.
void do_one(const std::string& verb, const std::string& argument) {
  if (verb == "raw") send(kChannelSocket, from_hex(argument), {}, true);
  if (verb == "segv") die_of(SIGSEGV);
  if (verb == "abort") die_of(SIGABRT);
  if (verb == "exit") _exit(std::atoi(argument.c_str()));
  if (verb == "throw") throw std::runtime_error("on purpose");
  if (verb == "eat") eat();
  if (verb == "sleep")
    for (;;) sleep(1000);
  for (volatile bool spins = verb == "spin"; spins;) {
  }
  try_calls(verb);
}

class Scripted final : public Source {
 public:
  Scripted(std::shared_ptr<const Handed> handed, std::vector<std::string> lines)
      : handed_(std::move(handed)), lines_(std::move(lines)) {
    info_.streams = {true, true, true, false};
    info_.description = "scripted";
  }
  const SourceInfo& info() const override { return info_; }
  void stop() override {}
  Status run(SourceId, const PacketSink& sink) override {
    int tenths = 0;
    for (const std::string& line : lines_) {
      std::istringstream words(line);
      std::string verb, argument;
      words >> verb >> argument;
      if (verb == "frame") {
        const int side = std::stoi(argument);
        auto slot = handed_->take_slot(static_cast<std::size_t>(3 * side * side));
        if (!slot) return tl::unexpected(slot.error());
        std::memset(slot->data(), tenths, static_cast<std::size_t>(3 * side * side));
        sink(Frame{.source = {},
                   .captured = SessionTime(Milliseconds(100 * tenths++)),
                   .width = side,
                   .height = side,
                   .stride = 3 * side,
                   .pixels = *std::move(slot),
                   .trace = {}});
      }
      if (verb == "line")
        sink(TextLine{{}, {}, SessionTime(Milliseconds(100 * tenths++)), std::to_string(getpid()), {}});
      do_one(verb, argument);
    }
    return {};
  }

 private:
  std::shared_ptr<const Handed> handed_;
  std::vector<std::string> lines_;
  SourceInfo info_;
};

Result<std::unique_ptr<Source>> open_script(const SourceSpec&, const IngestOptions& options, Clock&) {
  std::istringstream text(content_of(options.handed->input));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line) && line != "run";) {
    std::istringstream words(line);
    std::string verb, argument;
    words >> verb >> argument;
    do_one(verb, argument);
  }
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return std::make_unique<Scripted>(options.handed, std::move(lines));
}

}  // namespace
}  // namespace braid::ingest::isolate

int main() { return braid::ingest::isolate::guard_main(braid::ingest::isolate::open_script); }
