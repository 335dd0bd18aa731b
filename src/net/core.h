#pragma once
// What all connections of one server share. Thread-safe.

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "braid/net/options.h"
#include "braid/net/stats.h"
#include "io.h"
#include "route_table.h"

namespace braid::net::detail {

class Connection;
/// Whether a Caller::key may still ask.
using KeyCheck = std::function<bool(const std::string& key)>;

/// ServerStats, counted.
struct Counters {
  std::atomic<std::uint64_t> connections{0}, connections_open{0}, web_sockets{0}, web_sockets_open{0},
      requests_open{0}, bytes_in{0}, bytes_out{0};
  std::array<std::atomic<std::uint64_t>, 6> by_class{};
  std::array<std::atomic<std::uint64_t>, kDropReasons> drops{};

  void drop(DropReason reason) {
    drops[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void answered(int status);
  ServerStats read() const;
};

/// Counts connections, in all and by remote network, against their bounds.
class Admission {
 public:
  explicit Admission(const Limits& limits) : limits_(limits) {}
  bool enter(const asio::ip::address& remote);
  void leave(const asio::ip::address& remote);

 private:
  const Limits& limits_;
  std::mutex mutex_;
  std::size_t open_ = 0;
  std::map<std::string, std::size_t> by_network_;
};

/// Bytes of bodies held, of one connection; taken from a common bound.
class BodyShare {
 public:
  BodyShare(std::atomic<std::size_t>& held, std::size_t bound) : held_(held), bound_(bound) {}
  ~BodyShare() { release(); }
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;

  /// false: the bound is reached; nothing is taken then.
  bool take(std::size_t bytes);
  void release();

 private:
  std::atomic<std::size_t>& held_;
  const std::size_t bound_;
  std::size_t own_ = 0;
};

/// Ids of requests: a random beginning for the process and a count.
class RequestIds {
 public:
  RequestIds();
  std::string next();

 private:
  std::uint32_t process_;
  std::atomic<std::uint64_t> count_{0};
};

struct Core {
  Core(ServerOptions given, std::unique_ptr<RouteTable> routes);

  const ServerOptions options;
  const std::unique_ptr<RouteTable> table;
  const std::shared_ptr<const ErrorFormatter> error_body;
  std::optional<asio::ssl::context> tls;
  Counters counters;
  Admission admission;
  RequestIds ids;
  std::atomic<std::size_t> body_bytes{0};
  std::atomic<bool> stopping{false};

  /// Open connections, for stop().
  void enlist(const std::shared_ptr<Connection>& connection);
  void strike(const Connection* connection);
  std::vector<std::shared_ptr<Connection>> open() const;

 private:
  mutable std::mutex mutex_;  // guards open_
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> open_;
};

/// A server's TLS. kNotFound, kBadInput: certificate or key.
Status load_certificate(asio::ssl::context& context, const ServerOptions& options);

}  // namespace braid::net::detail
