#pragma once
// Datagrams with descriptors between this process and its workers.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "braid/base/result.h"

namespace braid::ingest::isolate {

/// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

struct Ends {
  Descriptor ours, theirs;
};
/// Two ends that keep datagrams whole and in order. kResource: no descriptors are left.
Result<Ends> socket_pair();

/// Used again and again, so that receiving takes no memory.
struct Received {
  std::string_view bytes;  ///< of `buffer`
  std::vector<Descriptor> descriptors;
  std::vector<char> buffer;
};
enum class Got { kMessage, kNothing, kEnd };

/// Sends all or nothing, without waiting for room unless `wait`. False: the other end is gone or doesn't
/// read.
bool send(int socket, std::string_view bytes, std::span<const int> descriptors, bool wait);
/// Never waits. What is longer than kMaxMessage or brings more than 8 descriptors is as the end.
Got receive(int socket, Received& message);

}  // namespace braid::ingest::isolate
