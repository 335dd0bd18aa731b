#pragma once
// Which handler answers which request.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "braid/net/exchange.h"
#include "braid/net/web_socket.h"

namespace braid::net {

namespace detail {
class RouteTable;
}

/// Called on an io thread; must not block: hand work to another thread and keep the Exchange. What it throws
/// becomes a 500.
using Handler = std::function<void(Request request, Exchange exchange)>;
using UpgradeHandler = std::function<void(Request request, Upgrade upgrade)>;

struct RouteOptions {
  std::size_t max_body = 0;  ///< bytes; 0: Limits::body_bytes
  bool open = false;         ///< needs no key
};

struct WebSocketRouteOptions {
  bool open = false;
  /// A subprotocol that begins so bears a key in its rest, for browsers, which can't set headers. Empty:
  /// none.
  std::string key_subprotocol;
};

/// A file that is part of the program. The bytes stay where they are: they must outlive the server.
struct StaticFile {
  std::string_view path;          ///< "/", "/app.js"
  std::string_view content_type;  ///< "text/html; charset=utf-8"
  std::string_view bytes;
  std::string_view etag;  ///< without quotes; empty: made from the bytes
};

/// Filled before Server::start(), which takes it. Paths begin with '/'; a segment "{name}" matches any one
/// segment, and a literal one is preferred to it. HEAD is answered by GET's route; OPTIONS and unknown
/// methods (405) by the table itself.
class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  /// Replaces an earlier route of the same method and path. Throws std::invalid_argument for a path that
  /// can't be one (a programmer's error).
  Router& route(std::string_view method, std::string_view path, Handler handler, RouteOptions options = {});
  Router& websocket(std::string_view path, UpgradeHandler handler, WebSocketRouteOptions options = {});
  /// Served to anyone, with ETag, gzip where it saves something, and revalidation on each use.
  Router& static_files(std::span<const StaticFile> files);

 private:
  friend class Server;
  std::unique_ptr<detail::RouteTable> table_;
};

}  // namespace braid::net
