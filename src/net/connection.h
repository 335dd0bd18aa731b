#pragma once
// One connection: a coroutine on one io thread that reads requests, has them answered and writes the answers.

#include <boost/beast/core/flat_buffer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "core.h"
#include "exchange_state.h"
#include "message.h"
#include "request_parser.h"
#include "transport.h"

namespace braid::net::detail {

class WebSocketSession;

/// Ends what it watches when nothing moves for too long. One io thread; armed and disarmed without a system
/// call.
class Watchdog {
 public:
  Watchdog(const asio::any_io_executor& executor, Traffic& traffic) : timer_(executor), traffic_(traffic) {}

  /// From now on: `bite` is called once unless bytes go out at least every `patience`, or, with `progress`
  /// false, at all after `patience`. `owner` is kept alive by nobody: the watch ends with it.
  void watch(std::weak_ptr<void> owner, Milliseconds patience, bool progress, std::function<void()> bite);
  void rest() { deadline_.reset(); }
  /// For good.
  void stop();

 private:
  void arm();
  void look();

  asio::steady_timer timer_;
  Traffic& traffic_;
  std::weak_ptr<void> owner_;
  std::function<void()> bite_;
  std::optional<TimePoint> deadline_;  // none: rests
  Milliseconds patience_{0};
  bool progress_ = false;
  std::uint64_t sent_before_ = 0;
  bool armed_ = false;
};

class Connection final : public Wakeable, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Core> core, std::shared_ptr<IoThread> io, tcp::socket socket);
  ~Connection() override;

  /// Begins; from any thread.
  void start();
  /// No further request; what runs may end. From its io thread, as all below.
  void stop_soon();
  /// Ends what is being answered to the bearer of a key that isn't `valid` any more.
  void check_key(const KeyCheck& valid);
  /// Ends it now.
  void end(DropReason reason);
  void end();
  void on_wake() override;
  const std::shared_ptr<IoThread>& io() const { return io_; }

 private:
  friend class WebSocketSession;

  /// What is known of a request beside itself, for its answer.
  struct Facts {
    std::string id;
    std::string cors_origin;
    std::string key;  // Caller's; empty: none was needed
    bool http_1_0 = false;
    bool keep_alive = true;
    bool head_only = false;
  };

  // connection.cpp: lifecycle and bytes
  Task<> run();
  Task<bool> shake_hands();
  Task<bool> speaks_http();
  Task<> refuse_http();
  Task<> close_gently();
  void read_more();
  /// Until something changed (true) or `until`. Notices a client that goes though nothing can be read.
  Task<bool> wait(TimePoint until);
  void on_read(error_code error, std::size_t n);
  Task<bool> write(std::string_view bytes);
  void drop(DropReason reason);
  void client_gone();

  // connection_request.cpp: one request. `false`: the connection is not to go on.
  Task<bool> serve_one();
  Task<bool> first_byte();
  Task<bool> read_header(RequestParser& parser);
  Task<bool> read_body(RequestParser& parser);
  /// Waits for more bytes of a request.
  Task<bool> more(TimePoint deadline);
  Task<bool> route(RequestParser& parser);
  Task<bool> without_route(RequestParser& parser, const Target& target);
  Task<bool> options(RequestParser& parser, const Target& target);
  Task<bool> receive(RequestParser& parser, const Route& route);
  Task<bool> call(const Route& route, Request request);

  // connection_answer.cpp
  /// An error of our own. `go_on`: the request was read to its end.
  Task<bool> refuse(HttpError error, bool go_on, Headers headers = {});
  Task<bool> answer(const Request* upgrade);
  Task<bool> send_answer(Answer answer, bool page = false);
  Task<bool> send_stream(ExchangeState::Batch batch);
  Task<bool> send_pieces(ExchangeState::Batch& batch, Framing framing);
  std::string head(const Answer& answer, Framing framing, std::size_t length, bool page);

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<IoThread> io_;
  Transport transport_;
  Event changed_;  // bytes came, the client went, an exchange has something to send
  Watchdog watchdog_;
  asio::ip::address remote_;

  boost::beast::flat_buffer in_;
  std::array<char, 16 << 10> arriving_;  // what the read under way fills
  bool reading_ = false;                 // a read is under way
  bool in_closed_ = false;               // the client sends no more
  bool draining_ = false;                // what still comes is thrown away
  std::size_t drained_ = 0;
  bool ended_ = false;  // by us, at once
  bool stopping_ = false;
  bool dropped_ = false;     // counted as such
  bool served_one_ = false;  // a request

  Facts facts_;
  BodyShare body_share_;
  std::shared_ptr<ExchangeState> exchange_;     // being answered
  std::weak_ptr<WebSocketSession> web_socket_;  // once switched
};

}  // namespace braid::net::detail
