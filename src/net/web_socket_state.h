#pragma once
// What a WebSocket handle holds in common with the session that runs its connection.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/net/web_socket.h"
#include "io.h"

namespace braid::net::detail {

struct Message {
  std::string data;
  bool text = true;
};

struct Closing {
  std::uint16_t code = 1000;
  std::string reason;
};

/// Handles call the first group from any thread, the session the second from its io thread.
class WebSocketState {
 public:
  /// What the session has to do next.
  struct Batch {
    std::vector<Message> messages;
    std::optional<Closing> closing;
    bool too_slow = false;
  };

  WebSocketState(std::shared_ptr<IoThread> io, std::size_t budget) : io_(std::move(io)), budget_(budget) {}

  void start(WebSocketEvents events);
  WriteResult send(Message message);
  void set_reading(bool on);
  void close(Closing closing);
  bool gone() const;

  /// From now on `session` is woken.
  void attach(std::weak_ptr<Wakeable> session);
  Batch take();
  void sent(std::size_t weight);
  /// The owner wants messages.
  bool may_read() const;
  /// What the owner closed it with.
  std::optional<Closing> closing() const;
  bool too_slow() const;
  void deliver(Message message);
  /// The server stops: tells the owner, or closes.
  void stopping();
  /// The connection is over; on_closed is called if the owner has started it, or else by start().
  void end(Closing closing);

 private:
  std::shared_ptr<WebSocketEvents> events() const;
  void wake();

  const std::shared_ptr<IoThread> io_;
  const std::size_t budget_;

  mutable std::mutex mutex_;  // guards the rest
  std::weak_ptr<Wakeable> session_;
  std::shared_ptr<WebSocketEvents> events_;
  std::vector<Message> messages_;
  std::size_t waiting_ = 0;  // weight of what was sent by the owner and not yet by the connection
  std::optional<Closing> closing_;
  std::optional<Closing> ended_;
  bool started_ = false;
  bool reading_ = true;
  bool too_slow_ = false;
  bool woken_ = false;
};

}  // namespace braid::net::detail
