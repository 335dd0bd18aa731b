#include "web_socket_session.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket.hpp>
#include <utility>

namespace braid::net::detail {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
namespace http = beast::http;

namespace {

constexpr std::size_t kKeptBuffer = 64 << 10;

// What Beast looks at; the rest of the request stays with the handler.
http::request<http::empty_body> handshake_of(const Request& request) {
  http::request<http::empty_body> handshake(http::verb::get, request.path, 11);
  for (const auto& [name, value] : request.headers)
    if (!equals_ignoring_case(name, "Sec-WebSocket-Protocol")) handshake.insert(name, value);
  return handshake;
}

}  // namespace

WebSocketSession::WebSocketSession(std::shared_ptr<Connection> connection,
                                   std::shared_ptr<WebSocketState> state)
    : connection_(std::move(connection)),
      state_(std::move(state)),
      stream_(connection_->transport_),
      can_read_(stream_.get_executor()),
      can_write_(stream_.get_executor()),
      writer_ended_(stream_.get_executor()) {}

void WebSocketSession::on_wake() {
  if (state_->too_slow()) connection_->end(DropReason::kSlowClient);
  can_read_.set();
  can_write_.set();
}

Task<> WebSocketSession::run(const Request& request, std::string subprotocol) {
  state_->attach(weak_from_this());
  if (!co_await accept(request, std::move(subprotocol))) {
    connection_->drop(DropReason::kMalformed);
    state_->end({1006, "the handshake failed"});
    co_return;
  }
  Counters& counters = connection_->core_->counters;
  ++counters.web_sockets;
  ++counters.web_sockets_open;
  if (connection_->stopping_) state_->stopping();
  asio::co_spawn(
      stream_.get_executor(), [self = shared_from_this()]() -> Task<> { return self->write_loop(); },
      asio::detached);
  const Closing closing = co_await read_loop();
  done_ = true;
  can_write_.set();
  while (!writer_done_) co_await writer_ended_.wait(TimePoint::max());
  --counters.web_sockets_open;
  state_->end(closing);
}

Task<bool> WebSocketSession::accept(const Request& request, std::string subprotocol) {
  const Limits& limits = connection_->core_->options.limits;
  websocket::stream_base::timeout timeout{};
  timeout.handshake_timeout = limits.handshake_timeout;
  timeout.idle_timeout = limits.web_socket_timeout;
  timeout.keep_alive_pings = true;
  stream_.set_option(timeout);
  stream_.read_message_max(limits.message_bytes);
  stream_.auto_fragment(false);
  const bool offered = std::find(request.subprotocols.begin(), request.subprotocols.end(), subprotocol) !=
                       request.subprotocols.end();
  if (!offered) subprotocol.clear();
  const std::string id = request.id;
  stream_.set_option(websocket::stream_base::decorator([id, subprotocol](websocket::response_type& response) {
    response.set("x-request-id", id);
    response.set("X-Content-Type-Options", "nosniff");
    if (!subprotocol.empty()) response.set(http::field::sec_websocket_protocol, subprotocol);
  }));
  const auto handshake = handshake_of(request);
  const auto [error] = co_await stream_.async_accept(handshake, kAwait);
  connection_->core_->counters.answered(error ? 400 : 101);
  co_return !error;
}

Task<Closing> WebSocketSession::read_loop() {
  beast::flat_buffer buffer;
  while (true) {
    while (!state_->may_read() && !state_->closing() && !connection_->ended_)
      co_await can_read_.wait(TimePoint::max());
    const auto [error, n] = co_await stream_.async_read(buffer, kAwait);
    if (error) co_return closing_of(error);
    Message message{beast::buffers_to_string(buffer.data()), stream_.got_text()};
    buffer.consume(buffer.size());
    if (buffer.capacity() > kKeptBuffer) buffer.shrink_to_fit();
    state_->deliver(std::move(message));
  }
}

Closing WebSocketSession::closing_of(const error_code& error) {
  if (error == websocket::error::closed) {
    if (auto own = state_->closing()) return *own;
    const auto& reason = stream_.reason();
    return {reason.code == websocket::close_code::none ? std::uint16_t{1005} : reason.code,
            std::string(reason.reason.data(), reason.reason.size())};
  }
  if (error == websocket::error::message_too_big || error == websocket::error::buffer_overflow) {
    connection_->drop(DropReason::kTooLarge);
    return {1009, "the message is too big"};
  }
  if (error == websocket::condition::protocol_violation) {
    connection_->drop(DropReason::kMalformed);
    const bool is_text = error == websocket::error::bad_frame_payload;
    return {is_text ? std::uint16_t{1007} : std::uint16_t{1002}, error.message()};
  }
  if (error == beast::error::timeout) {
    connection_->drop(DropReason::kTimeout);
    return {1006, std::string(kSilentReason)};
  }
  if (auto own = state_->closing()) return *own;
  if (state_->too_slow()) return {1006, "the client reads too slowly"};
  if (!connection_->ended_) connection_->drop(DropReason::kGone);
  return {1006, "the connection ended"};
}

Task<> WebSocketSession::write_loop() {
  const auto self = shared_from_this();
  while (!done_ && !connection_->ended_) {
    WebSocketState::Batch batch = state_->take();
    if (batch.too_slow) {
      connection_->end(DropReason::kSlowClient);
      break;
    }
    if (!co_await write_all(std::move(batch.messages))) break;
    if (batch.closing) {
      websocket::close_reason reason(batch.closing->code);
      reason.reason.assign(batch.closing->reason.data(), batch.closing->reason.size());
      co_await stream_.async_close(reason, kAwait);
      break;
    }
    co_await can_write_.wait(TimePoint::max());
  }
  writer_done_ = true;
  writer_ended_.set();
}

Task<bool> WebSocketSession::write_all(std::vector<Message> messages) {
  for (const Message& message : messages) {
    stream_.text(message.text);
    const auto connection = connection_;
    connection_->watchdog_.watch(connection_->weak_from_this(),
                                 connection_->core_->options.limits.write_timeout, true,
                                 [this] { connection_->end(DropReason::kSlowClient); });
    const auto [error, n] = co_await stream_.async_write(asio::buffer(message.data), kAwait);
    connection_->watchdog_.rest();
    if (error) {
      if (!done_ && error != websocket::error::closed && error != asio::error::operation_aborted)
        connection_->end(DropReason::kGone);
      co_return false;
    }
    state_->sent(weight_of(message.data));
  }
  co_return true;
}

}  // namespace braid::net::detail
