#pragma once
// A small HTTP(S) client for what a server sends of its own accord: webhooks, traces, and media it is told to
// fetch. Not for many hosts at speed: one connection a request.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "braid/base/result.h"
#include "braid/base/time.h"
#include "braid/net/request.h"

namespace braid::net {

/// Whether an address (an IP literal) may be connected to. Asked after resolution, for exactly the addresses
/// that will be connected to, and again for every redirect, so a name that changes its mind gains nothing.
/// Called on the client's thread; must not block.
using AddressPolicy = std::function<bool(std::string_view address)>;

/// No loopback, private, link-local, shared, multicast, reserved or unspecified address, nor one that embeds
/// such (IPv4-mapped, NAT64, 6to4, Teredo). False for what is no address.
bool is_public_address(std::string_view address);
/// 127.0.0.0/8, ::1 and its IPv4-mapped form.
bool is_loopback_address(std::string_view address);
/// Told from the host alone, without asking anybody: an address that isn't public, in any form that resolvers
/// take for one (127.1, 0x7f000001), or localhost. A name may lead to such an address all the same.
bool is_private_host(std::string_view host);

/// Whether a host (a name or an IP literal, lower case) may be asked, the first and those redirects lead to.
using HostPolicy = std::function<bool(std::string_view host)>;

struct ClientOptions {
  AddressPolicy allow = is_public_address;  ///< null: any
  HostPolicy allow_host;                    ///< null: any
  std::string ca_file;                      ///< PEM; empty: the system's
  std::size_t max_open = 64;                ///< requests under way at once; more: kFull
  std::string user_agent = "braid";
};

struct ClientRequest {
  std::string method = "GET";
  std::string url;  ///< http:// or https://, no user info
  Headers headers;  ///< Host, Content-Length, Connection are ours
  std::string body;
  Milliseconds timeout{10'000};    ///< for all of it, redirects included
  std::size_t max_body = 1 << 20;  ///< of the answer, bytes; kLimit beyond
  bool cut_body = false;           ///< what is longer is cut and counts as whole
  int max_redirects = 0;           ///< 0: a redirect is an answer as any; only GET is ever redirected
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
  std::string url;  ///< where it came from, after redirects
};

/// Has a thread of its own. Thread-safe. Destruction cancels what is under way: callbacks get kCancelled
/// first.
class Client {
 public:
  /// kBadInput for a CA file that can't be read.
  static Result<std::unique_ptr<Client>> make(ClientOptions options = {});
  ~Client();

  using Done = std::function<void(Result<ClientResponse>)>;
  /// Returns at once; `done` is called once, on the client's thread, and must not block. An answer of any
  /// status is a response. Errors: kUsage (URL), kNotFound (name), kUnsupported (host or address
  /// refused by a policy), kResource (connection; retryable), kLate (timeout; retryable), kLimit (answer too
  /// large), kBadInput (not HTTP, or a certificate that doesn't hold), kFull, kCancelled.
  void send(ClientRequest request, Done done);
  /// The same, blocking. Not from `done`.
  Result<ClientResponse> fetch(ClientRequest request);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace braid::net
