#include "poppler/pdf_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "braid/base/utf8.h"
#include "braid/retrieve/document.h"

namespace braid::retrieve {

namespace {

constexpr rlim_t kMaxMemory = 1U << 30;
constexpr rlim_t kMaxCpuSeconds = 30;
constexpr unsigned kMaxSeconds = 60;
constexpr std::size_t kMaxComplaint = 200;  // bytes shown of what pdftotext says
// Where the process finds its files.
constexpr int kIn = 3;
constexpr const char* kInName = "/dev/fd/3";

/// A file in memory that goes with its last holder.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int number() const { return file_; }
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }
  std::string read() const {
    struct stat status {};
    if (fstat(file_, &status) != 0) return {};
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
      const ssize_t part = pread(file_, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
      if (part <= 0) break;
      got += static_cast<std::size_t>(part);
    }
    bytes.resize(got);
    return bytes;
  }

 private:
  int file_;
};

/// Empty: there is none.
std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    std::string program = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return {};
}

/// Between fork and exec: nothing but calls of the system.
[[noreturn]] void become(const char* program, char* const* arguments, int in, int out, int complaints) {
  const auto limit = [](auto what, rlim_t most) {
    const rlimit bound{most, most};
    return setrlimit(what, &bound) == 0;
  };
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGALRM, SIGXCPU, SIGXFSZ, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  const bool bounded = limit(RLIMIT_AS, kMaxMemory) && limit(RLIMIT_CPU, kMaxCpuSeconds) &&
                       limit(RLIMIT_FSIZE, kMaxDocumentBytes) && limit(RLIMIT_CORE, 0);
  // Numbers 0 to 2 are taken in any process of ours, so none of these is in the other's way.
  const bool placed = dup2(out, STDOUT_FILENO) >= 0 && dup2(complaints, STDERR_FILENO) >= 0 &&
                      (in == kIn ? fcntl(in, F_SETFD, 0) >= 0 : dup2(in, kIn) >= 0);
  alarm(kMaxSeconds);
  char* const environment[] = {nullptr};
  if (bounded && placed) execve(program, arguments, environment);
  _exit(127);
}

Status outcome(int status, const std::string& complaint) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXFSZ)
      return fail(ErrorCode::kLimit,
                  fmt::format("its text has more than {} bytes: split it", kMaxDocumentBytes));
    if (signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL)
      return fail(ErrorCode::kLimit,
                  fmt::format("its text wasn't ready in {} s of computing or {} s: split it", kMaxCpuSeconds,
                              kMaxSeconds));
    return fail(ErrorCode::kBadInput,
                fmt::format("pdftotext broke off (signal {}): it is damaged, or needs more "
                            "than {} MiB to be read",
                            signal, kMaxMemory >> 20U));
  }
  if (WEXITSTATUS(status) == 0) return {};
  if (WEXITSTATUS(status) == 127) return fail(ErrorCode::kResource, "pdftotext couldn't be started");
  if (complaint.find("assword") != std::string::npos)
    return fail(ErrorCode::kUnsupported, "it is locked by a password: save it without one");
  return fail(ErrorCode::kBadInput,
              fmt::format("pdftotext can't read it: {}",
                          printable(complaint.substr(0, std::min(complaint.find('\n'), kMaxComplaint)))));
}

}  // namespace

Result<std::string> pdf_text(std::string_view pdf) {
  const std::string program = find_program("pdftotext");
  if (program.empty())
    return fail(ErrorCode::kUnsupported,
                "PDFs are read by pdftotext, which isn't there: install poppler-utils");
  const MemoryFile in("pdf"), out("text"), complaints("complaints");
  if (in.number() < 0 || out.number() < 0 || complaints.number() < 0 || !in.write(pdf))
    return fail(ErrorCode::kResource, fmt::format("can't keep the PDF in memory: {}", std::strerror(errno)));
  const std::string pages = std::to_string(kMaxPages + 1);
  std::array<const char*, 8> arguments = {"pdftotext",   "-enc",  "UTF-8", "-l",
                                          pages.c_str(), kInName, "-",     nullptr};
  const pid_t child = fork();
  if (child < 0)
    return fail(ErrorCode::kResource, fmt::format("can't start pdftotext: {}", std::strerror(errno)), true);
  if (child == 0)
    become(program.c_str(), const_cast<char* const*>(arguments.data()), in.number(), out.number(),
           complaints.number());
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return fail(ErrorCode::kInternal, "pdftotext was waited for by somebody else");
  if (Status done = outcome(status, complaints.read()); !done) return tl::unexpected(done.error());
  return out.read();
}

}  // namespace braid::retrieve
