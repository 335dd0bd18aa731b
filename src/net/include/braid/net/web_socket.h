#pragma once
// WebSockets (RFC 6455), the server's side. Pings, pongs, fragments and UTF-8 are seen to.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "braid/net/exchange.h"

namespace braid::net {

namespace detail {
class WebSocketState;
}

/// The reason of a close with 1006 for a client from which no frame came for Limits::web_socket_timeout.
inline constexpr std::string_view kSilentReason = "the client didn't answer in time";

/// Called on the connection's io thread, one at a time; must not block. `on_message` must not outlive what it
/// refers to: both are released after on_closed has been called.
struct WebSocketEvents {
  /// A whole message; `text`: it is valid UTF-8.
  std::function<void(std::string message, bool text)> on_message;
  /// Once, last. `code` as in RFC 6455 section 7.4; 1006: the connection ended without a close.
  std::function<void(std::uint16_t code, std::string reason)> on_closed;
  /// The server has begun to stop and ends the connection when its grace is over. Empty: it is closed (1001)
  /// at once.
  std::function<void()> on_stopping;
};

/// A peer. Move-only; thread-safe; nothing blocks. Dropped: closed with 1001.
class WebSocket {
 public:
  WebSocket() = default;
  explicit WebSocket(std::shared_ptr<detail::WebSocketState> state) : state_(std::move(state)) {}
  WebSocket(WebSocket&&) noexcept = default;
  WebSocket& operator=(WebSocket&& other) noexcept;
  ~WebSocket();

  /// Begins to read; call once, when everything that the callbacks use is in place.
  void start(WebSocketEvents events);
  /// One text message, which must be valid UTF-8. Budget and results as Stream::write.
  WriteResult send(std::string text);
  WriteResult send_binary(std::string bytes);
  /// false: no further message is read (at most one that is under way is still delivered), so that the
  /// client is held back; true: reading goes on.
  void set_reading(bool on);
  /// Sends what waits, then a close frame; on_closed follows. Idempotent. `reason`: up to 123 bytes.
  void close(std::uint16_t code = 1000, std::string_view reason = {});
  bool gone() const;

 private:
  std::shared_ptr<detail::WebSocketState> state_;
};

/// A request to become a WebSocket. Move-only; thread-safe; dropped without a decision: 500.
class Upgrade {
 public:
  Upgrade() = default;
  explicit Upgrade(Exchange exchange) : exchange_(std::move(exchange)) {}

  /// Switches protocols. `subprotocol` must be one that the client offered, or empty.
  WebSocket accept(std::string_view subprotocol = {});
  void refuse(const HttpError& error, const Headers& headers = {}) { exchange_.fail(error, headers); }

 private:
  Exchange exchange_;
};

}  // namespace braid::net
