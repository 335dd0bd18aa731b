#pragma once
// An HTTP/1.1 and WebSocket server, with TLS if asked. It knows nothing of what it serves.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/base/result.h"
#include "braid/net/options.h"
#include "braid/net/router.h"
#include "braid/net/stats.h"

namespace braid::net {

/// Runs on its own io threads from start() until stop() or destruction. Exchanges, streams and WebSockets may
/// outlive it; they are gone then.
class Server {
 public:
  /// Says what start() would refuse of these options, and listens to nothing.
  static Status check(const ServerOptions& options);
  /// Listens when this returns. kUsage: options that don't fit, or an address beyond loopback without
  /// `authorise`; kBadInput: certificate or key; kNotFound: their files; kResource: the port can't be had.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Router router);
  /// As stop(0).
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:8080"; https with TLS.
  std::string url() const;
  /// From any thread.
  ServerStats stats() const;

  /// To be called when keys have changed: ends what is being answered, and the WebSockets (1008), of those
  /// whose Caller::key isn't `valid`. Returns at once; `valid` is called on io threads.
  void check_keys(std::function<bool(const std::string& key)> valid);

  /// Accepts no more, lets answers that have begun end for up to `grace`, then ends the rest; blocks until
  /// all connections are closed and the io threads have ended. Idempotent. Never from a handler.
  void stop(Milliseconds grace);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  std::string address_;
  std::uint16_t port_ = 0;
};

}  // namespace braid::net
