#pragma once
// A client for tests and benchmarks: plain POSIX sockets, so that it can send what no library would.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "braid/net/request.h"

namespace braid::net {

/// What a client read of an answer.
struct Reply {
  int status = 0;
  std::string head;
  std::string body;  ///< chunks put together
  bool whole = false;

  /// The first header of that name (as written here, lower case), or "-".
  std::string header(const std::string& name) const {
    for (std::size_t at = head.find("\r\n"); at != std::string::npos && at + 2 < head.size();
         at = head.find("\r\n", at + 2)) {
      const std::size_t end = head.find("\r\n", at + 2);
      const std::string line = head.substr(at + 2, end - at - 2);
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos && equals_ignoring_case(line.substr(0, colon), name))
        return line.substr(colon + 2);
    }
    return "-";
  }
};

/// One connection to 127.0.0.1. Whatever doesn't come within ten seconds counts as not coming.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0)
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) close();
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { close(); }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  /// Ends with a reset, as a process that is killed with unread data does.
  void reset() {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void half_close() { ::shutdown(socket_, SHUT_WR); }

  RawClient& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) break;  // refused; what the server said before is still read
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return *this;
  }
  RawClient& get(const std::string& path, const std::string& more = "") {
    return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n");
  }
  RawClient& post(const std::string& path, const std::string& body, const std::string& more = "") {
    return send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n" + more + "\r\n" + body);
  }

  /// Everything up to and with `mark`; what there is if it doesn't come.
  std::string read_until(std::string_view mark) {
    while (pending_.find(mark) == std::string::npos && read_some()) {
    }
    const std::size_t at = pending_.find(mark);
    return take(at == std::string::npos ? pending_.size() : at + mark.size());
  }
  std::string read_exactly(std::size_t n) {
    while (pending_.size() < n && read_some()) {
    }
    return take(std::min(n, pending_.size()));
  }
  /// Until the server closes.
  std::string read_all() {
    while (read_some()) {
    }
    return take(pending_.size());
  }
  /// The server has closed, in order or by a reset, and nothing was left to read.
  bool is_closed() { return pending_.empty() && !read_some() && closed_; }
  bool was_reset() const { return reset_; }

  Reply reply(bool head_only = false) {
    Reply reply;
    reply.head = read_until("\r\n\r\n");
    if (reply.head.size() > 12) reply.status = std::atoi(reply.head.c_str() + 9);
    if (head_only || reply.status / 100 == 1 || reply.status == 204 || reply.status == 304) {
      reply.whole = true;
    } else if (reply.header("transfer-encoding") == "chunked") {
      while (true) {
        const std::string line = read_until("\r\n");
        const auto size = static_cast<std::size_t>(std::strtoul(line.c_str(), nullptr, 16));
        reply.whole = line == "0\r\n";
        const std::string chunk = read_exactly(size + 2);
        if (size == 0) break;
        reply.body += chunk.substr(0, size);
      }
    } else if (reply.header("content-length") != "-") {
      const auto size = static_cast<std::size_t>(std::atol(reply.header("content-length").c_str()));
      reply.body = read_exactly(size);
      reply.whole = reply.body.size() == size;
    } else {
      reply.body = read_all();
      reply.whole = closed_;
    }
    return reply;
  }

 private:
  bool read_some() {
    std::string bytes(64 << 10, '\0');
    const ssize_t n = ::recv(socket_, bytes.data(), bytes.size(), 0);
    closed_ = n == 0 || (n < 0 && errno == ECONNRESET);
    reset_ = n < 0 && errno == ECONNRESET;
    if (n <= 0) return false;
    pending_.append(bytes, 0, static_cast<std::size_t>(n));
    return true;
  }
  std::string take(std::size_t n) {
    std::string taken = pending_.substr(0, n);
    pending_.erase(0, n);
    return taken;
  }

  int socket_;
  std::string pending_;
  bool closed_ = false;
  bool reset_ = false;
};

/// A value that one thread hands to another.
template <class T>
class Handed {
 public:
  void put(T value) {
    const std::scoped_lock lock(mutex_);
    value_.emplace(std::move(value));
    came_.notify_all();  // under the lock: who takes it may end this object at once
  }
  /// Waits for it, ten seconds at most.
  std::optional<T> get() {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, std::chrono::seconds(10), [&] { return value_.has_value(); });
    return std::exchange(value_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::optional<T> value_;
};

}  // namespace braid::net
