#include "gate.h"

#include <algorithm>

#include "braid/net/client.h"
#include "braid/net/url.h"
#include "message.h"

namespace braid::net::detail {

namespace {

constexpr std::string_view kBearer = "Bearer ";

HttpError forbidden(const char* why) { return {403, why, {}, {}, "origin_not_allowed"}; }

// The address or name that the client believes to talk to.
Result<Url> own_url(const Request& request) {
  return parse_url("http://" + std::string(request.header("Host").value_or("localhost")));
}

bool is_literal_or_localhost(const std::string& host) {
  const bool is_number = host.find_first_not_of("0123456789.") == std::string::npos;
  return is_number || host.find(':') != std::string::npos || host == "localhost" ||
         host.ends_with(".localhost");
}

bool is_same_origin(std::string_view origin, const Url& own) {
  const auto from = parse_url(origin);
  // The scheme may differ: TLS can end at a proxy in front.
  return from && from->authority() == own.authority();
}

}  // namespace

HttpError origin_fault(const Request& request, const ServerOptions& options, std::string& cors_origin) {
  const auto own = own_url(request);
  if (!own) return {400, "the Host header can't be read", {}, {}, "malformed_request"};
  if (!options.authorise && !is_literal_or_localhost(own->host))
    return forbidden(
        "without keys this server answers to IP addresses and localhost alone, not to another Host; its "
        "operator "
        "can give it keys (--keys)");
  if (request.headers.count("Origin") > 1)
    return {400, "a request has one Origin header", {}, {}, "malformed_request"};
  const auto origin = request.header("Origin");
  if (!origin) return {0, {}, {}, {}, {}};
  const bool listed =
      std::any_of(options.cors_origins.begin(), options.cors_origins.end(),
                  [&](const std::string& allowed) { return allowed == "*" || allowed == *origin; });
  if (listed) cors_origin = *origin;
  if (listed || is_same_origin(*origin, *own)) return {0, {}, {}, {}, {}};
  return forbidden(
      "pages of this Origin may not ask; the server's operator can list it: --cors-origin, or cors_origins "
      "of [server]");
}

void read_credentials(Request& request, std::string_view key_prefix) {
  if (const auto header = request.header("Authorization");
      header && equals_ignoring_case(header->substr(0, kBearer.size()), kBearer)) {
    const std::size_t begin = header->find_first_not_of(' ', kBearer.size());
    if (begin != std::string_view::npos) request.token = header->substr(begin);
  }
  const std::string offers = request.headers.joined("Sec-WebSocket-Protocol");
  for (const std::string_view offered : list_items(offers)) {
    if (key_prefix.empty() || !offered.starts_with(key_prefix))
      request.subprotocols.emplace_back(offered);
    else if (request.token.empty())
      request.token = offered.substr(key_prefix.size());
  }
}

bool wants_web_socket(const Request& request) {
  return request.method == "GET" && list_holds(request.headers.joined("Connection"), "upgrade") &&
         list_holds(request.headers.joined("Upgrade"), "websocket");
}

HttpError no_key(const Request& request) {
  if (request.token.empty())
    return {401,
            "no API key came with the request; send it as 'Authorization: Bearer KEY'",
            {},
            {},
            "missing_api_key"};
  return {401,
          "this API key isn't known here; send one whose hash is in the server's keys file",
          {},
          {},
          "invalid_api_key"};
}

}  // namespace braid::net::detail
