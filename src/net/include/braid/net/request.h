#pragma once
// A request as handlers see it: plain data, checked and decoded.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace braid::net {

/// Name and value pairs in the order they came. Names are compared without regard to case (ASCII).
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  /// The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  /// All values of that name, joined by ", ".
  std::string joined(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string id;      ///< made by the server; returned as x-request-id
  std::string method;  ///< "GET"; a HEAD that a GET route answers stays "HEAD"
  std::string path;    ///< decoded, UTF-8, begins with '/', no "." or ".." segment
  Pairs params;        ///< the route's {name}s, decoded
  Pairs query;         ///< decoded, UTF-8
  Headers headers;
  std::string body;
  std::string remote;     ///< the peer's address without port: "127.0.0.1", "::1"
  bool loopback = false;  ///< the peer is this machine
  bool tls = false;
  std::string token;  ///< of "Authorization: Bearer", or of a WebSocket's subprotocol; empty: none. A secret
  std::string key_name;  ///< who that is, by ServerOptions::authorise; empty: no key was needed
  std::vector<std::string>
      subprotocols;  ///< those a WebSocket's client offers, without the one that bears a key

  /// The path parameter of that name; empty if the route has none.
  std::string_view param(std::string_view name) const;
  /// The first query value of that name.
  std::optional<std::string_view> query_value(std::string_view name) const;
  std::optional<std::string_view> header(std::string_view name) const { return headers.find(name); }
};

bool equals_ignoring_case(std::string_view a, std::string_view b);

}  // namespace braid::net
