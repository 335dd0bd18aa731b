#pragma once
// What Exchange and Stream hold in common with the connection that sends the answer.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/net/exchange.h"
#include "io.h"

namespace braid::net::detail {

class WebSocketState;

/// An answer's head, and its body if that is whole.
struct Answer {
  int status = 200;
  std::string content_type;
  Headers headers;
  std::string body;
};

/// The connection's side of waking: where it runs and what to wake there.
struct Sleeper {
  std::shared_ptr<IoThread> io;
  std::weak_ptr<Wakeable> who;
};

/// Handles call the first group from any thread, the connection the second from its io thread.
class ExchangeState : public std::enable_shared_from_this<ExchangeState> {
 public:
  enum class Kind { kNone, kWhole, kStream, kUpgrade };

  /// What the connection has to do next.
  struct Batch {
    Kind kind = Kind::kNone;
    bool first = false;  ///< `answer` is set: send the head
    Answer answer;
    std::vector<std::string> pieces;
    std::size_t weight = 0;  ///< of `pieces` in the budget: give it to sent()
    bool finished = false;
    bool too_slow = false;
    bool aborted = false;
    std::string keep_alive;
    Milliseconds keep_alive_every{0};
    std::string subprotocol;
    std::shared_ptr<WebSocketState> web_socket;
  };

  /// `no_body`: the request was HEAD; pieces are dropped. `error_body` outlives no handler call but is
  /// shared.
  ExchangeState(Sleeper sleeper, std::size_t budget, bool no_body,
                std::shared_ptr<const ErrorFormatter> error_body)
      : sleeper_(std::move(sleeper)),
        budget_(budget),
        no_body_(no_body),
        error_body_(std::move(error_body)) {}

  void respond(Answer answer);
  void fail(const HttpError& error, Headers headers);
  /// false: an answer had begun before.
  bool begin_stream(Answer answer);
  std::shared_ptr<WebSocketState> upgrade(std::string subprotocol);
  WriteResult write(std::string bytes);
  void finish();
  /// The handle is dropped: 500 if nothing was said, an end without the last chunk in mid-stream.
  void abandon();
  void on_gone(std::function<void()> then);
  void keep_alive(std::string bytes, Milliseconds every);
  bool gone() const;
  bool answered() const;

  Batch take();
  void sent(std::size_t weight);
  bool too_slow() const;
  /// The owner has said all.
  bool finished() const;
  /// Nothing more will be sent; if the answer isn't finished the client counts as gone. Returns what to call
  /// then.
  std::function<void()> detach();

 private:
  void wake();

  const Sleeper sleeper_;
  const std::size_t budget_;
  const bool no_body_;
  const std::shared_ptr<const ErrorFormatter> error_body_;

  mutable std::mutex mutex_;  // guards the rest
  Batch next_;                // what was said and not yet taken
  Kind kind_ = Kind::kNone;
  std::size_t waiting_ = 0;  // bytes said and not yet sent
  bool finished_ = false;
  bool too_slow_ = false;
  bool detached_ = false;
  bool woken_ = true;  // the connection looks by itself when the handler has returned
  std::function<void()> on_gone_;
};

/// A queued piece counts with what it costs to keep it.
inline std::size_t weight_of(std::string_view piece) { return piece.size() + 64; }

}  // namespace braid::net::detail
