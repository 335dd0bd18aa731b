#pragma once
// Beast's HTTP/1 parser, filling a ClientResponse within a bound.

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "braid/net/client.h"

namespace braid::net::detail {

class ResponseParser final : public boost::beast::http::basic_parser<false> {
 public:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  /// A body of more bytes ends the parse with body_limit, and its beginning is in the response.
  explicit ResponseParser(std::size_t max_body) : max_body_(max_body) {
    header_limit(64 << 10);
    body_limit(boost::none);
    eager(true);
  }
  ClientResponse& response() { return response_; }

 private:
  void on_request_impl(boost::beast::http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { response_.status = code; }
  void on_field_impl(boost::beast::http::field, string_view name, string_view value, error_code&) override {
    if (is_header_done()) return;  // a trailer
    response_.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& error) override {
    const std::size_t fits = std::min<std::size_t>(body.size(), max_body_ - response_.body.size());
    response_.body.append(body.data(), fits);
    if (fits < body.size()) error = boost::beast::http::error::body_limit;
    return fits;
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) override {
    return on_body_impl(body, error);
  }
  void on_finish_impl(error_code&) override {}

  const std::size_t max_body_;
  ClientResponse response_;
};

}  // namespace braid::net::detail
