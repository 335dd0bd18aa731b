#pragma once
// Files as objects, and what the system says of them as errors.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "braid/base/result.h"

namespace braid::store {

/// What `errno` says after `action` of `path`: kNotFound, kResource (retryable where the disk is full),
/// kBadInput for what isn't a plain file.
Error system_error(std::string_view action, const std::string& path);

/// A descriptor that is closed with it; -1: none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

/// Of mode 0600, for reading and writing; never through a symbolic link.
Result<Descriptor> make_file(const std::string& path);
/// One that exists.
Result<Descriptor> open_file(const std::string& path);
Result<std::uint64_t> size_of(const Descriptor& file, const std::string& path);
/// `bytes` from `offset` on, all of them. kBadInput: it is shorter.
Result<std::string> read_at(const Descriptor& file, const std::string& path, std::uint64_t offset,
                            std::uint64_t bytes);
/// All or an error; what was there before may then be altered.
Status write_at(const Descriptor& file, const std::string& path, std::uint64_t offset,
                std::string_view bytes);
/// Names made, changed and removed in it reach the disk.
Status sync_folder(const std::string& path);

}  // namespace braid::store
