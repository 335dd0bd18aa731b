#include "byte_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace braid::ingest {

namespace {
constexpr int kLookMs = 100;  // between two looks at a bound

tl::unexpected<Error> errno_error(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    return fail(ErrorCode::kNotFound, fmt::format("{}: there is no such file; check the path", path));
  return fail(ErrorCode::kBadInput, fmt::format("{}: can't be read ({}); expected a readable file; check its "
                                                "permissions",
                                                path, std::strerror(error)));
}
}  // namespace

Result<bool> check_path(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno_error(path, errno);
  if (S_ISDIR(status.st_mode))
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: is a folder; expected a file; name one inside it", path));
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode))
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: is a device or socket; expected a file; write v4l2:{} for a camera, alsa:NAME or "
                    "pulse:NAME for a microphone",
                    path, path));
  if (access(path.c_str(), R_OK) != 0) return errno_error(path, errno);
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    return fail(ErrorCode::kBadInput,
                fmt::format("{}: is empty (0 bytes); expected media, text or a log", path));
  return S_ISFIFO(status.st_mode) != 0;
}

Result<std::unique_ptr<ByteReader>> ByteReader::open(const SourceSpec& spec, Clock& clock) {
  int fd = STDIN_FILENO;
  const bool owned = spec.target != "-";
  if (owned) {
    if (auto fifo = check_path(spec.target); !fifo) return tl::unexpected(fifo.error());
    fd = ::open(spec.target.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno_error(spec.target, errno);
  }
  return make(fd, owned, spec, clock);
}

Result<std::unique_ptr<ByteReader>> ByteReader::of(int descriptor, const SourceSpec& spec, Clock& clock) {
  return make(descriptor, false, spec, clock);
}

Result<std::unique_ptr<ByteReader>> ByteReader::make(int fd, bool owned, const SourceSpec& spec,
                                                     Clock& clock) {
  std::array<int, 2> wake{};
  if (pipe2(wake.data(), O_CLOEXEC) != 0) {
    const int error = errno;
    if (owned) ::close(fd);
    return fail(ErrorCode::kResource, fmt::format("{}: no file handle left ({}); raise ulimit -n",
                                                  spec.target, std::strerror(error)));
  }
  return std::unique_ptr<ByteReader>(new ByteReader(fd, owned, wake[0], wake[1], clock));
}

ByteReader::~ByteReader() {
  if (owned_) ::close(fd_);
  ::close(wake_read_);
  ::close(wake_write_);
}

std::ptrdiff_t ByteReader::read(std::uint8_t* to, std::size_t size) {
  for (;;) {
    std::array<pollfd, 2> waits{{{fd_, POLLIN, 0}, {wake_read_, POLLIN, 0}}};
    const bool bounded = give_up_ || until_;
    if (poll(waits.data(), waits.size(), bounded ? kLookMs : -1) < 0 && errno != EINTR) return -errno;
    if (waits[1].revents != 0) return 0;
    if (const int error = over(); error != 0) return -error;
    if (waits[0].revents == 0) continue;
    const ssize_t got = ::read(fd_, to, size);
    if (got >= 0) return got;
    if (errno != EINTR && errno != EAGAIN) return -errno;
  }
}

void ByteReader::bound(std::shared_ptr<const std::atomic<bool>> give_up, std::optional<SteadyTime> until) {
  give_up_ = std::move(give_up);
  until_ = until;
}

int ByteReader::over() const {
  if (give_up_ && *give_up_) return ECANCELED;
  return until_ && clock_.now() > *until_ ? ETIMEDOUT : 0;
}

void ByteReader::stop() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, &byte, 1);
}

}  // namespace braid::ingest
