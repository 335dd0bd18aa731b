#include "file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace braid::store {

namespace {

constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

Result<Descriptor> opened(int fd, const std::string& path) {
  Descriptor file(fd);
  if (fd < 0) return tl::unexpected(system_error("open", path));
  struct stat info {};
  if (fstat(fd, &info) != 0) return tl::unexpected(system_error("look at", path));
  if (!S_ISREG(info.st_mode)) return fail(ErrorCode::kBadInput, fmt::format("{} isn't a plain file", path));
  return file;
}

}  // namespace

Error system_error(std::string_view action, const std::string& path) {
  const int code = errno;
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  const ErrorCode kind = code == ENOENT ? ErrorCode::kNotFound : ErrorCode::kResource;
  return {kind,
          fmt::format("can't {} {}: {}{}", action, path, std::strerror(code),
                      full ? "; free space on its disk" : ""),
          full};
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<Descriptor> make_file(const std::string& path) {
  return opened(open(path.c_str(), kFlags | O_CREAT | O_TRUNC, 0600), path);
}

Result<Descriptor> open_file(const std::string& path) { return opened(open(path.c_str(), kFlags), path); }

Result<std::uint64_t> size_of(const Descriptor& file, const std::string& path) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return tl::unexpected(system_error("look at", path));
  return static_cast<std::uint64_t>(info.st_size);
}

Result<std::string> read_at(const Descriptor& file, const std::string& path, std::uint64_t offset,
                            std::uint64_t bytes) {
  std::string read(bytes, '\0');
  std::size_t done = 0;
  while (done < read.size()) {
    const ssize_t got =
        pread(file.get(), read.data() + done, read.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected(system_error("read", path));
    if (got == 0)
      return fail(ErrorCode::kBadInput,
                  fmt::format("{} ends at byte {}; it should have {}", path, offset + done, offset + bytes));
    done += static_cast<std::size_t>(got);
  }
  return read;
}

Status write_at(const Descriptor& file, const std::string& path, std::uint64_t offset,
                std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return tl::unexpected(system_error("write", path));
    offset += static_cast<std::uint64_t>(put);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Status sync_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || fsync(folder.get()) != 0) return tl::unexpected(system_error("sync", path));
  return {};
}

}  // namespace braid::store
