#pragma once
// One request of a client, on the client's io thread.

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "braid/net/client.h"
#include "braid/net/url.h"
#include "io.h"
#include "transport.h"

namespace braid::net::detail {

class Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(asio::io_context& context, asio::ssl::context& tls, const ClientOptions& options,
        ClientRequest request)
      : options_(options), tls_(tls), resolver_(context), limit_(context), request_(std::move(request)) {}

  /// To its end, redirects included.
  Task<Result<ClientResponse>> run();
  /// Ends it with `code` soon.
  void stop(ErrorCode code);

 private:
  Task<Result<ClientResponse>> once(const Url& url);
  Task<Result<tcp::socket>> connect(const Url& url);
  Task<Result<ClientResponse>> exchange(const Url& url);
  Task<Status> shake_hands(const Url& url);
  std::string request_text(const Url& url) const;
  Result<Url> redirection(const Url& from, const ClientResponse& response) const;
  /// The failure, or why it was stopped, which explains it better.
  tl::unexpected<Error> failure(ErrorCode code, std::string message, bool retryable = false) const;

  const ClientOptions& options_;
  asio::ssl::context& tls_;
  tcp::resolver resolver_;
  asio::steady_timer limit_;
  ClientRequest request_;
  bool with_secrets_ = true;  // headers that only the first origin may see are still sent
  std::optional<tcp::socket> connecting_;
  std::optional<Transport> transport_;
  std::optional<ErrorCode> stopped_;
};

}  // namespace braid::net::detail
