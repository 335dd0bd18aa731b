#pragma once
// For tests: a disk on which files can't grow.

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace braid::store {

/// While it lives, no file of this process grows beyond so many bytes: writing fails as it does on a full
/// disk.
class SmallDisk {
 public:
  explicit SmallDisk(std::uint64_t bytes) {
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit small = limit_;
    small.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*before_)(int);
  rlimit limit_{};
};

}  // namespace braid::store
