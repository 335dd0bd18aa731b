#include "isolate/workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "isolate/guard.h"

namespace braid::ingest::isolate {

namespace {

constexpr const char* kProgram = "braid-ingest-worker";

/// What a loader, a sanitizer or a zone needs; no keys, no passwords.
constexpr std::array kKept = {
    "LD_LIBRARY_PATH=", "TZ=", "LANG=", "LC_ALL=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS="};

std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** entry = environ; entry && *entry; ++entry)
    for (const char* name : kKept)
      if (std::strncmp(*entry, name, std::strlen(name)) == 0) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

std::string beside_this_program() {
  std::error_code none;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& folder : {here, here / "../lib/braid"})
    if (access((folder / kProgram).c_str(), X_OK) == 0) return (folder / kProgram).string();
  return {};
}

/// Attributes and actions of a new process, freed with this.
struct Spawn {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<Workers*> Workers::of(const std::string& program) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Workers>> all;
  const std::string path = program.empty() ? beside_this_program() : program;
  if (path.empty() || access(path.c_str(), X_OK) != 0)
    return fail(ErrorCode::kResource,
                fmt::format("the program that decodes, {}, isn't there; expected it beside this one or in "
                            "../lib/braid; install Braid whole, or read what you trust with isolate=off",
                            path.empty() ? kProgram : path));
  std::lock_guard lock(mutex);
  auto& workers = all[path];
  if (!workers) workers = std::make_unique<Workers>(path);
  return workers.get();
}

Workers::~Workers() { end_guard(); }

void Workers::end_guard() {
  guard_ = Descriptor();
  if (guard_pid_ < 0) return;
  // It may have a hard time, and nobody waits for it.
  kill(guard_pid_, SIGKILL);
  while (waitpid(guard_pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_pid_ = -1;
}

Status Workers::start_guard() {
  auto ends = socket_pair();
  if (!ends) return tl::unexpected(ends.error());
  Spawn spawn;
  // A copy under the number that is wanted also loses its close-on-exec; where it has that number already,
  // dup2 would change nothing.
  const int above = fcntl(ends->theirs.get(), F_DUPFD_CLOEXEC, kGuardSocket + 1);
  if (above < 0) return fail(ErrorCode::kResource, "no descriptors are left; raise ulimit -n", true);
  const Descriptor theirs(above);
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&spawn.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&spawn.actions, above, kGuardSocket);
  posix_spawn_file_actions_addclosefrom_np(&spawn.actions, kGuardSocket + 1);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  posix_spawnattr_setsigdefault(&spawn.attributes, &all);
  // Out of the terminal's reach: Ctrl-C is for this process to take.
  posix_spawnattr_setflags(&spawn.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::array<char*, 2> arguments = {program_.data(), nullptr};
  const int error = posix_spawn(&guard_pid_, program_.c_str(), &spawn.actions, &spawn.attributes,
                                arguments.data(), environment().data());
  if (error != 0) {
    guard_pid_ = -1;
    return fail(ErrorCode::kResource,
                fmt::format("{}: could not be started ({}); it decodes what comes from outside", program_,
                            std::strerror(error)),
                true);
  }
  guard_ = std::move(ends->ours);
  return {};
}

Status Workers::prepare() {
  std::lock_guard lock(mutex_);
  return guard_ ? Status() : start_guard();
}

Result<Worker> Workers::start(const Open& open, int input, int spool) {
  auto channel = socket_pair();
  auto guard = socket_pair();
  if (!channel || !guard) return tl::unexpected((channel ? guard : channel).error());
  std::vector<int> handed = {channel->theirs.get(), guard->theirs.get(), input};
  if (spool >= 0) handed.push_back(spool);
  const std::string bytes = encode(ToWorker(open));
  std::lock_guard lock(mutex_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!guard_)
      if (auto started = start_guard(); !started) return tl::unexpected(started.error());
    if (send(guard_.get(), bytes, handed, true))
      return Worker{std::move(channel->ours), std::move(guard->ours)};
    if (errno != EPIPE && errno != ECONNRESET)
      return fail(
          ErrorCode::kResource,
          fmt::format("a process that decodes can't be asked for ({}); try again", std::strerror(errno)),
          true);
    end_guard();  // it died
  }
  return fail(ErrorCode::kResource, fmt::format("{}: ends as soon as it is started", program_), true);
}

}  // namespace braid::ingest::isolate
