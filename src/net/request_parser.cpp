#include "request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>

namespace braid::net::detail {

namespace http = boost::beast::http;

RequestParser::RequestParser(std::size_t header_bytes) : header_bytes_(header_bytes) {
  header_limit(static_cast<std::uint32_t>(header_bytes));
  body_limit(boost::none);  // begin_body() sets its own
}

void RequestParser::on_request_impl(http::verb, string_view method, string_view target, int version,
                                    error_code&) {
  request_.method.assign(method.data(), method.size());
  target_.assign(target.data(), target.size());
  version_ = version;
}

void RequestParser::on_field_impl(http::field, string_view name, string_view value, error_code&) {
  if (is_header_done()) return;  // a trailer: it must not pass for a header
  request_.headers.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
}

std::size_t RequestParser::on_body_impl(string_view body, error_code& error) {
  if (request_.body.size() + body.size() > max_body_) {
    error = http::error::body_limit;
    return 0;
  }
  if (!take_(body.size())) {
    refused_ = true;
    error = http::error::body_limit;
    return 0;
  }
  request_.body.append(body.data(), body.size());
  return body.size();
}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) {
  return on_body_impl(body, error);
}

std::size_t RequestParser::feed(std::string_view bytes, error_code& error) {
  const bool in_header = !is_header_done();
  const std::size_t n = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (!in_header) return n;
  header_consumed_ += n;
  if (header_consumed_ > header_bytes_ && (!error || error == http::error::need_more))
    error = http::error::header_limit;
  return n;
}

void RequestParser::begin_body(std::size_t max, std::function<bool(std::size_t)> take) {
  max_body_ = max;
  take_ = std::move(take);
  body_limit(max);
  eager(true);
}

HttpError RequestParser::header_fault() const {
  const Headers& headers = request_.headers;
  const auto bad = [](const char* why) { return HttpError{400, why, {}, {}, "malformed_request"}; };
  if (headers.count("Host") > 1 || (!http_1_0() && headers.count("Host") != 1))
    return bad("the request must have exactly one Host header");
  // One coding, and only one that all proxies in between understand alike.
  if (headers.count("Transfer-Encoding") > 0) {
    if (headers.count("Content-Length") > 0)
      return bad("Content-Length and Transfer-Encoding must not come together");
    if (http_1_0() || headers.count("Transfer-Encoding") > 1)
      return bad("Transfer-Encoding can't be used so");
    if (!equals_ignoring_case(*headers.find("Transfer-Encoding"), "chunked"))
      return {501, "the only Transfer-Encoding taken is chunked", {}, {}, "unsupported_transfer_encoding"};
  }
  if (headers.count("Content-Length") > 1) return bad("Content-Length must come once");
  return {0, {}, {}, {}, {}};
}

HttpError parse_error(const boost::beast::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return {431, "the request's headers are too long", {}, {}, "headers_too_large"};
  if (error == http::error::body_limit)
    return {413, "the request's body is larger than this endpoint takes", {}, {}, "request_too_large"};
  return {400, "the request can't be read: " + error.message(), {}, {}, "malformed_request"};
}

}  // namespace braid::net::detail
