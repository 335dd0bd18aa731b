#include "writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace braid::retrieve {

WriterLock::~WriterLock() {
  if (fd_ >= 0) close(fd_);
}

Status WriterLock::take(const std::string& folder) {
  const std::string path = folder + "/lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0)
    return fail(ErrorCode::kResource, fmt::format("can't make {}: {}", path, std::strerror(errno)));
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
  return fail(
      ErrorCode::kFull,
      fmt::format("another process writes to the memory {}: end it, or choose another folder", folder), true);
}

}  // namespace braid::retrieve
