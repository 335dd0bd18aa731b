#pragma once
// A connection that was switched to WebSocket: one coroutine reads, one writes, on the connection's io
// thread.

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <memory>

#include "connection.h"
#include "web_socket_state.h"

namespace braid::net::detail {

class WebSocketSession final : public Wakeable, public std::enable_shared_from_this<WebSocketSession> {
 public:
  WebSocketSession(std::shared_ptr<Connection> connection, std::shared_ptr<WebSocketState> state);

  /// Until the WebSocket is closed. The transport stays open, for the connection to close.
  Task<> run(const Request& request, std::string subprotocol);
  void stopping() { state_->stopping(); }
  void close(Closing closing) { state_->close(std::move(closing)); }
  void on_wake() override;

 private:
  Task<bool> accept(const Request& request, std::string subprotocol);
  /// Returns why it ended.
  Task<Closing> read_loop();
  Task<> write_loop();
  Task<bool> write_all(std::vector<Message> messages);
  Closing closing_of(const error_code& error);

  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<WebSocketState> state_;
  boost::beast::websocket::stream<Transport&> stream_;
  Event can_read_;
  Event can_write_;
  Event writer_ended_;
  bool done_ = false;  // the reader is
  bool writer_done_ = false;
};

}  // namespace braid::net::detail
