#include "isolate/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "ffmpeg/spool.h"

namespace braid::ingest::isolate {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "no list of system calls for this processor"
#endif

constexpr std::int64_t kMostDescriptors = 32;

constexpr std::array kAllowed = {
    // Bytes in and out of descriptors that are open.
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_readv,
    SYS_writev,
    SYS_lseek,
    SYS_fstat,
    SYS_close,
    SYS_ppoll,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_fcntl,
    SYS_dup,
    SYS_pipe2,
    // Memory; what could be run is refused below.
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    // Threads, waiting and time.
    SYS_futex,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_setitimer,
    SYS_gettid,
    SYS_getpid,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_membarrier,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    // Facts, and the end.
    SYS_getrandom,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_exit,
    SYS_exit_group,
#if defined(__x86_64__)
    SYS_poll,
    SYS_pipe,
    SYS_time,
#endif
};

/// What libraries try for things that they can do without, such as counting processors.
constexpr std::array kRefused = {
    SYS_openat,
    SYS_newfstatat,
    SYS_statx,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_ioctl,
    SYS_sched_setaffinity,
    SYS_sched_setscheduler,
    SYS_sched_getscheduler,
    SYS_sched_getparam,
    SYS_prlimit64,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_getdents64,
#if defined(__x86_64__)
    SYS_open,
    SYS_access,
    SYS_stat,
    SYS_lstat,
    SYS_readlink,
    SYS_getrlimit,
#endif
};

using Filter = std::vector<sock_filter>;

constexpr std::uint32_t kFail = SECCOMP_RET_ERRNO;

void load(Filter& to, std::size_t offset) {
  to.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}
void answer(Filter& to, std::uint32_t with) { to.push_back(BPF_STMT(BPF_RET | BPF_K, with)); }
/// Jumps over `count` instructions unless the loaded word is `value`.
void unless(Filter& to, long value, std::uint8_t count) {
  to.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0, count));
}
void load_argument(Filter& to, std::size_t number) {
  load(to, offsetof(seccomp_data, args) + number * sizeof(std::uint64_t));  // its low half
}

/// `call` passes if `mask` of its argument is all set (`set`) or all clear; else it gets `otherwise`.
void if_bits(Filter& to, long call, std::size_t argument, std::uint32_t mask, bool set,
             std::uint32_t otherwise) {
  unless(to, call, 5);
  load_argument(to, argument);
  to.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  unless(to, set ? static_cast<long>(mask) : 0, 1);
  answer(to, SECCOMP_RET_ALLOW);
  answer(to, otherwise);
}

Filter make_filter() {
  Filter filter;
  load(filter, offsetof(seccomp_data, arch));
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  answer(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  // The x32 calls are others by the same numbers.
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
  answer(filter, SECCOMP_RET_KILL_PROCESS);
#endif
  for (const long call : kAllowed) {
    unless(filter, call, 1);
    answer(filter, SECCOMP_RET_ALLOW);
  }
  for (const long call : kRefused) {
    unless(filter, call, 1);
    answer(filter, kFail | EACCES);
  }
  // Of new tasks threads alone. What flags clone3 has stands in memory, where a filter can't look: libraries
  // then use clone.
  unless(filter, SYS_clone3, 1);
  answer(filter, kFail | ENOSYS);
  if_bits(filter, SYS_clone, 0, 0x00010000 /* CLONE_THREAD */, true, SECCOMP_RET_KILL_PROCESS);
  if_bits(filter, SYS_mmap, 2, PROT_EXEC, false, kFail | EPERM);
  if_bits(filter, SYS_mprotect, 2, PROT_EXEC, false, kFail | EPERM);
  // abort() signals its own process.
  unless(filter, SYS_tgkill, 4);
  load_argument(filter, 0);
  unless(filter, getpid(), 1);
  answer(filter, SECCOMP_RET_ALLOW);
  answer(filter, SECCOMP_RET_KILL_PROCESS);
  unless(filter, SYS_prctl, 4);
  load_argument(filter, 0);
  unless(filter, PR_SET_NAME, 1);
  answer(filter, SECCOMP_RET_ALLOW);
  answer(filter, kFail | EPERM);
  answer(filter, SECCOMP_RET_KILL_PROCESS);
  return filter;
}

bool filter_calls() {
  Filter filter = make_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/// No path can be used for anything that this Landlock knows.
bool close_files() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  landlock_ruleset_attr all{};
  all.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // the last of the first version
  const long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
  if (rules < 0) return false;
  const bool done =
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(static_cast<int>(rules));
  return done;
}

std::int64_t address_space() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  long long pages = 0;
  if (file) {
    if (std::fscanf(file, "%lld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

/// `grace`: beyond, for those that are first told by a signal.
bool limit(int what, std::int64_t most, std::int64_t grace = 0) {
  const rlimit bound{static_cast<rlim_t>(most), static_cast<rlim_t>(most + grace)};
  return setrlimit(static_cast<decltype(RLIMIT_AS)>(what), &bound) == 0;
}

}  // namespace

Confinement confine(const Bounds& bounds) {
  mallopt(M_ARENA_MAX, 2);  // each takes 64 MiB of addresses
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  Confinement confinement;
  confinement.limits = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, kMostDescriptors) &&
                       limit(RLIMIT_FSIZE, bounds.writes ? ffmpeg::Spool::kLimit + (1 << 20) : 0);
  if (bounds.memory_bytes > 0 && !kSanitized)
    confinement.limits &= limit(RLIMIT_AS, address_space() + bounds.memory_bytes);
  if (bounds.computing > Nanoseconds{})
    confinement.limits &=
        limit(RLIMIT_CPU, std::max<std::int64_t>(1, bounds.computing / std::chrono::seconds(1)), 2);
  confinement.landlock = close_files();
  confinement.filter = filter_calls();
  return confinement;
}

void close_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (int fd = first; fd < sysconf(_SC_OPEN_MAX); ++fd) close(fd);
}

}  // namespace braid::ingest::isolate
