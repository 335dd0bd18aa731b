#pragma once
// Beast's HTTP/1 parser, filling a Request. Stricter than it where requests could be read in two ways.

#include <boost/beast/http/basic_parser.hpp>
#include <functional>
#include <string>

#include "braid/net/errors.h"
#include "braid/net/request.h"

namespace braid::net::detail {

/// Fed with put(); is_header_done() and is_done() tell how far it is.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;

  /// `header_bytes` bounds the request line and the headers together.
  explicit RequestParser(std::size_t header_bytes);

  Request& request() { return request_; }
  const std::string& target() const { return target_; }
  bool http_1_0() const { return version_ == 10; }
  /// Of the complete header: a body follows it.
  bool has_body() const { return !is_done(); }

  /// What is wrong with the complete header, though each field could be read; status 0: nothing.
  HttpError header_fault() const;
  /// From here on a body is read: at most `max` bytes, each piece asked for from `take`.
  void begin_body(std::size_t max, std::function<bool(std::size_t)> take);
  /// put() for one buffer; counts what the header takes. Returns what was consumed.
  std::size_t feed(std::string_view bytes, error_code& error);

  /// `take` refused a piece.
  bool was_refused() const { return refused_; }

 private:
  void on_request_impl(boost::beast::http::verb, string_view method, string_view target, int version,
                       error_code&) override;
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(boost::beast::http::field, string_view name, string_view value, error_code&) override;
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view body, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) override;
  void on_finish_impl(error_code&) override {}

  const std::size_t header_bytes_;
  std::size_t header_consumed_ = 0;
  Request request_;
  std::string target_;
  int version_ = 11;
  std::size_t max_body_ = 0;
  std::function<bool(std::size_t)> take_;
  bool refused_ = false;
};

/// What a client is told of a parser's error, and the drop it is counted as.
HttpError parse_error(const boost::beast::error_code& error);

}  // namespace braid::net::detail
