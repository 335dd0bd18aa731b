#pragma once
// A socket, plain or under TLS, as one asynchronous stream type: what Asio and Beast call AsyncStream.

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/role.hpp>
#include <optional>
#include <string>

#include "io.h"

namespace braid::net::detail {

/// Payload bytes of one transport, and of all into a sum.
struct Traffic {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::atomic<std::uint64_t>* sum_in = nullptr;
  std::atomic<std::uint64_t>* sum_out = nullptr;
};

/// At most one read and one write at a time. One io thread.
class Transport {
 public:
  using executor_type = asio::any_io_executor;

  /// `tls`: null for a plain socket; outlives this.
  Transport(tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }

  executor_type get_executor() { return socket_.get_executor(); }
  tcp::socket& socket() { return socket_; }
  bool is_tls() const { return tls_.has_value(); }
  asio::ssl::stream<tcp::socket&>& tls() { return *tls_; }
  Traffic& traffic() { return traffic_; }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, const Buffers& into) {
          auto counted = [this, done = std::move(handler)](error_code error, std::size_t n) mutable {
            count(traffic_.in, traffic_.sum_in, n);
            std::move(done)(error, n);
          };
          if (tls_)
            tls_->async_read_some(into, std::move(counted));
          else
            socket_.async_read_some(into, std::move(counted));
        },
        token, buffers);
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, const Buffers& from) {
          auto counted = [this, done = std::move(handler)](error_code error, std::size_t n) mutable {
            count(traffic_.out, traffic_.sum_out, n);
            std::move(done)(error, n);
          };
          if (tls_)
            tls_->async_write_some(one_record(from), std::move(counted));
          else
            socket_.async_write_some(from, std::move(counted));
        },
        token, buffers);
  }

  void close() {
    error_code ignored;
    best_effort(socket_.close(ignored));
  }

 private:
  static void count(std::uint64_t& own, std::atomic<std::uint64_t>* sum, std::size_t n) {
    own += n;
    if (sum != nullptr) sum->fetch_add(n, std::memory_order_relaxed);
  }

  // TLS would send each buffer as a record of its own; small ones are put together.
  template <class Buffers>
  asio::const_buffer one_record(const Buffers& buffers) {
    const auto first = asio::buffer_sequence_begin(buffers);
    if (first == asio::buffer_sequence_end(buffers)) return {};
    if (std::next(first) == asio::buffer_sequence_end(buffers)) return asio::const_buffer(*first);
    record_.resize(std::min(kRecordBytes, asio::buffer_size(buffers)));
    asio::buffer_copy(asio::buffer(record_), buffers);
    return asio::buffer(record_);
  }

  static constexpr std::size_t kRecordBytes = 16 << 10;

  tcp::socket socket_;
  std::optional<asio::ssl::stream<tcp::socket&>> tls_;
  std::string record_;  // what is being written; one write at a time
  Traffic traffic_;
};

// What Beast's WebSocket looks up for a stream type that it doesn't know. The connection shuts its transport
// down itself.
inline void teardown(boost::beast::role_type, Transport&, error_code& error) { error = {}; }
template <class Handler>
void async_teardown(boost::beast::role_type, Transport& transport, Handler&& handler) {
  asio::post(transport.get_executor(),
             [done = std::forward<Handler>(handler)]() mutable { std::move(done)(error_code{}); });
}
inline void beast_close_socket(Transport& transport) { transport.close(); }

}  // namespace braid::net::detail
