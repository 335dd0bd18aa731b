#include "fetch.h"

#include <fmt/format.h>
#include <openssl/x509v3.h>

#include <boost/asio/read.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "braid/base/utf8.h"
#include "response_parser.h"

namespace braid::net::detail {

namespace {

namespace http = boost::beast::http;

constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kMaxUnread = 128 << 10;  // headers, or one chunk's line

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// What is meant for one origin, and not for whoever that one sends us to.
bool is_secret(std::string_view name) {
  return equals_ignoring_case(name, "Authorization") || equals_ignoring_case(name, "Cookie") ||
         equals_ignoring_case(name, "Proxy-Authorization") || equals_ignoring_case(name, "X-Api-Key");
}

bool is_ours(std::string_view name) {
  return equals_ignoring_case(name, "Host") || equals_ignoring_case(name, "Content-Length") ||
         equals_ignoring_case(name, "Connection") || equals_ignoring_case(name, "Transfer-Encoding") ||
         equals_ignoring_case(name, "User-Agent");
}

bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos;
}

}  // namespace

tl::unexpected<Error> Fetch::failure(ErrorCode code, std::string message, bool retryable) const {
  if (stopped_ == ErrorCode::kLate)
    return fail(ErrorCode::kLate, fmt::format("no answer within {} ms", request_.timeout.count()), true);
  if (stopped_) return fail(*stopped_, "the client is being closed");
  return fail(code, std::move(message), retryable);
}

void Fetch::stop(ErrorCode code) {
  if (stopped_) return;
  stopped_ = code;
  limit_.cancel();
  resolver_.cancel();
  error_code ignored;
  if (connecting_) best_effort(connecting_->close(ignored));
  if (transport_) transport_->close();
}

Task<Result<ClientResponse>> Fetch::run() {
  auto url = parse_url(request_.url);
  if (!url) co_return tl::unexpected(url.error());
  limit_.expires_after(request_.timeout);
  limit_.async_wait([self = weak_from_this()](error_code error) {
    const auto alive = self.lock();
    if (!error && alive) alive->stop(ErrorCode::kLate);
  });
  for (int redirects = 0;; ++redirects) {
    auto response = co_await once(*url);
    if (!response) {
      limit_.cancel();
      co_return response;
    }
    const bool follow =
        is_redirect(response->status) && request_.method == "GET" && request_.max_redirects > 0;
    if (!follow) {
      limit_.cancel();
      response->url = url->origin() + url->target;
      co_return response;
    }
    if (redirects == request_.max_redirects)
      co_return failure(ErrorCode::kLimit, fmt::format("more than {} redirects", request_.max_redirects));
    auto next = redirection(*url, *response);
    if (!next) co_return tl::unexpected(next.error());
    if (next->origin() != url->origin()) with_secrets_ = false;
    url = std::move(next);
  }
}

Result<Url> Fetch::redirection(const Url& from, const ClientResponse& response) const {
  const auto location = response.headers.find("Location");
  if (!location) return fail(ErrorCode::kBadInput, "a redirect says no Location");
  auto next = resolve_url(from, *location);
  if (next && from.tls && !next->tls)
    return fail(ErrorCode::kUnsupported, "a redirect leads from https to http; refused");
  return next;
}

Task<Result<ClientResponse>> Fetch::once(const Url& url) {
  transport_.reset();
  if (options_.allow_host && !options_.allow_host(url.host))
    co_return failure(ErrorCode::kUnsupported,
                      fmt::format("host '{}' isn't on the list of those that may be asked", url.host));
  auto socket = co_await connect(url);
  if (!socket) co_return tl::unexpected(socket.error());
  transport_.emplace(std::move(*socket), url.tls ? &tls_ : nullptr);
  if (url.tls) {
    const auto status = co_await shake_hands(url);
    if (!status) co_return tl::unexpected(status.error());
  }
  auto response = co_await exchange(url);
  transport_->close();
  co_return response;
}

// Connects to the addresses that the policy was shown, not to the name again.
Task<Result<tcp::socket>> Fetch::connect(const Url& url) {
  const std::string port = std::to_string(url.port);
  const auto [unresolved, found] = co_await resolver_.async_resolve(url.host, port, kAwait);
  if (unresolved || stopped_)
    co_return failure(ErrorCode::kNotFound,
                      fmt::format("host '{}' can't be resolved: {}", url.host, unresolved.message()));
  std::string why = "no address";
  bool refused = false;
  for (const auto& entry : found) {
    const tcp::endpoint endpoint = entry.endpoint();
    if (options_.allow && !options_.allow(endpoint.address().to_string())) {
      refused = true;
      continue;
    }
    connecting_.emplace(resolver_.get_executor());
    const auto [error] = co_await connecting_->async_connect(endpoint, kAwait);
    if (!error && !stopped_) {
      tcp::socket socket = std::move(*connecting_);
      connecting_.reset();
      co_return socket;
    }
    why = error.message();
    connecting_.reset();
    if (stopped_) break;
  }
  if (refused && !stopped_ && why == "no address")
    co_return failure(ErrorCode::kUnsupported,
                      fmt::format("host '{}' has no address that may be connected to; the rules "
                                  "leave out this machine and its networks",
                                  url.host));
  co_return failure(ErrorCode::kResource, fmt::format("host '{}' can't be connected to: {}", url.host, why),
                    true);
}

Task<Status> Fetch::shake_hands(const Url& url) {
  auto& stream = transport_->tls();
  error_code is_name;
  asio::ip::make_address(url.host, is_name);
  if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), url.host.c_str());
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification(url.host));
  const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::client, kAwait);
  if (!error) co_return Status{};
  if (error.category() == asio::error::get_ssl_category())
    co_return failure(ErrorCode::kBadInput,
                      fmt::format("TLS with '{}' failed: {}; is its certificate valid, and signed by "
                                  "someone this machine trusts?",
                                  url.host, error.message()));
  co_return failure(ErrorCode::kResource, fmt::format("TLS with '{}' failed: {}", url.host, error.message()),
                    true);
}

std::string Fetch::request_text(const Url& url) const {
  const bool has_body = !request_.body.empty() || request_.method == "POST" || request_.method == "PUT";
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nConnection: close\r\n",
                                 request_.method, url.target, url.authority(), options_.user_agent);
  if (has_body) text += fmt::format("Content-Length: {}\r\n", request_.body.size());
  for (const auto& [name, value] : request_.headers) {
    if (is_ours(name) || breaks_lines(name) || breaks_lines(value) || (is_secret(name) && !with_secrets_))
      continue;
    text.append(name).append(": ").append(value).append("\r\n");
  }
  return text + "\r\n" + request_.body;
}

Task<Result<ClientResponse>> Fetch::exchange(const Url& url) {
  const std::string text = request_text(url);
  // A server may answer and close before it has read all; its answer counts then.
  const auto [unsent, written] = co_await asio::async_write(*transport_, asio::buffer(text), kAwait);
  std::optional<ResponseParser> parser(std::in_place, request_.max_body);
  if (request_.method == "HEAD") parser->skip(true);
  boost::beast::flat_buffer in(kMaxUnread);
  while (!parser->is_done()) {
    if (in.size() >= kMaxUnread) co_return failure(ErrorCode::kBadInput, "the answer's headers are too long");
    const auto [error, n] = co_await transport_->async_read_some(
        in.prepare(std::min(kReadBytes, kMaxUnread - in.size())), kAwait);
    in.commit(n);
    error_code unparsed;
    if (in.size() > 0) in.consume(parser->put(in.data(), unparsed));
    const bool ended = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
    if (ended && !unparsed && parser->got_some() && !parser->is_done()) parser->put_eof(unparsed);
    if (unparsed == http::error::body_limit && request_.cut_body) co_return std::move(parser->response());
    if (unparsed == http::error::body_limit)
      co_return failure(ErrorCode::kLimit,
                        fmt::format("the answer is larger than {} bytes", request_.max_body));
    if (unparsed && (unparsed != http::error::need_more || ended))
      co_return failure(ErrorCode::kBadInput,
                        fmt::format("the answer of '{}' isn't HTTP: {}", url.host, unparsed.message()));
    if (parser->is_done() && parser->response().status / 100 == 1) {  // 100 Continue and its like
      parser.emplace(request_.max_body);
      continue;
    }
    if (!parser->is_done() && error)
      co_return failure(
          ErrorCode::kResource,
          fmt::format("'{}' ended the connection: {}", url.host, (unsent ? unsent : error).message()), true);
  }
  co_return std::move(parser->response());
}

}  // namespace braid::net::detail
