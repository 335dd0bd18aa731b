#pragma once
// What a server is started with. Every bound has a default; all are checked once, by Server::start().

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "braid/base/time.h"
#include "braid/net/errors.h"
#include "braid/net/request.h"

namespace braid::net {

/// Bounds on what one client, and all of them, can hold.
struct Limits {
  std::size_t header_bytes = 16 << 10;       ///< request line and headers; more: 431
  std::size_t body_bytes = 32 << 20;         ///< of one request, where its route says nothing else; more: 413
  std::size_t bodies_bytes = 512 << 20;      ///< of all requests being read or answered; more: 503
  std::size_t connections = 1024;            ///< open at once; more: 503
  std::size_t connections_per_remote = 256;  ///< of one IPv4 address or IPv6 /64; more: 503
  std::size_t message_bytes = 16 << 20;      ///< one WebSocket message from a client; more: close 1009
  std::size_t outgoing_bytes = 1 << 20;      ///< waiting to be sent on one connection; see WriteResult
  std::size_t body_bytes_per_second =
      1024;  ///< a body that comes slower than this, after body_timeout, ends; 0: off
  Milliseconds handshake_timeout{10'000};  ///< TLS and WebSocket handshakes
  Milliseconds header_timeout{
      10'000};  ///< from a request's first byte (at first: from accept) to its last header
  Milliseconds body_timeout{30'000};        ///< without a byte of a body
  Milliseconds keep_alive_timeout{60'000};  ///< between two requests
  Milliseconds write_timeout{30'000};       ///< without a byte taken by the client
  Milliseconds web_socket_timeout{30'000};  ///< without a frame; half of it idle sends a ping
  int socket_send_buffer = 0;  ///< bytes the kernel may hold for one connection; 0: its own choice
};

/// Who asks.
struct Caller {
  std::string name;  ///< the key's
  std::string key;   ///< which key, without being it: KeyStore's is its SHA-256 as hex digits
};

/// Whom `request.token` belongs to, or nothing if that's nobody (then 401). Called on an io thread before the
/// body is read; must not block. `KeyStore::rule()` makes the usual one.
using Authorise = std::function<std::optional<Caller>(const Request&)>;

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IPv4 or IPv6 literal or "localhost"; "0.0.0.0", "::": all
  std::uint16_t port = 0;             ///< 0: any free one; see Server::port()
  std::string tls_cert;               ///< PEM file of the chain, own certificate first; empty: no TLS
  std::string tls_key;                ///< PEM file of its private key
  unsigned threads = 1;               ///< io threads; a connection stays on one
  Limits limits;
  /// Origins whose pages may ask ("https://example.com", or "*"); empty: CORS is off, and a browser's
  /// requests from other origins are refused (403), WebSockets too.
  std::vector<std::string> cors_origins;
  /// Checked for routes that need a key. Empty: none needed, which is allowed on a loopback address alone;
  /// then requests whose Host is a name other than localhost are refused too, so that no page can reach this
  /// by rebinding its own name.
  Authorise authorise;
  ErrorFormatter error_body = error_json;  ///< how errors of the server itself are written
};

}  // namespace braid::net
