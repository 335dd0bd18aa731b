#pragma once
// What a server has done so far.

#include <array>
#include <cstddef>
#include <cstdint>

namespace braid::net {

/// Why a connection was ended, or a request given up, before its time.
enum class DropReason : std::uint8_t {
  kSlowClient,          ///< outgoing budget or write timeout passed
  kTimeout,             ///< handshake, headers or body didn't come in time
  kTooLarge,            ///< 413, 431, or a WebSocket message over the limit
  kMalformed,           ///< not HTTP, not TLS, or broken WebSocket frames
  kTooManyConnections,  ///< the bound in all or of one address
  kGone,                ///< the client went away before the whole answer was sent
  kAborted,             ///< a handler dropped its answer
  kKeyRemoved,          ///< the client's key was taken away meanwhile
};
inline constexpr std::size_t kDropReasons = 8;
/// "slow_client" for kSlowClient.
const char* to_string(DropReason reason);

/// Totals since start; `*_open` are of now. Counters are read one by one: sums may be off by what happens
/// meanwhile.
struct ServerStats {
  std::uint64_t connections = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t web_sockets = 0;
  std::uint64_t web_sockets_open = 0;
  std::uint64_t requests_open = 0;          ///< handed to a handler, not yet answered to the end
  std::array<std::uint64_t, 6> by_class{};  ///< answers by status / 100
  std::uint64_t bytes_in = 0;               ///< payload of the transport, before TLS
  std::uint64_t bytes_out = 0;
  std::array<std::uint64_t, kDropReasons> drops{};  ///< indexed by DropReason

  std::uint64_t dropped(DropReason reason) const { return drops[static_cast<std::size_t>(reason)]; }
};

}  // namespace braid::net
