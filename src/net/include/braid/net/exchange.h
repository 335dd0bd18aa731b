#pragma once
// One request's answer: given at once or streamed, from any thread, also long after the handler returned.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "braid/base/time.h"
#include "braid/net/errors.h"
#include "braid/net/request.h"

namespace braid::net {

namespace detail {
class ExchangeState;
}

/// What became of a write, and the caller's next move.
enum class WriteResult {
  kTaken,    ///< will be sent: go on
  kTooSlow,  ///< what waits already and this pass Limits::outgoing_bytes: the connection is ended; stop
  kGone,     ///< the client went away, or the stream was ended before: stop
};

/// The body of an answer in pieces. Thread-safe; nothing blocks. Dropped without finish(): the connection is
/// ended without the final chunk, so the client can tell that something is missing.
class Stream {
 public:
  Stream() = default;
  explicit Stream(std::shared_ptr<detail::ExchangeState> state) : state_(std::move(state)) {}
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  /// Sends `bytes`; a piece is one chunk. A single piece is taken whatever its size if nothing waits.
  WriteResult write(std::string bytes);
  /// The body is complete. Idempotent.
  void finish();
  /// `then` is called once, on an io thread, when the client has gone or was ended before finish(); at once
  /// (still on an io thread) if it has already. Replaces what was set before. Never called after finish(),
  /// nor after the handle was dropped. (A client that pipelines 64 KiB of requests meanwhile is noticed when
  /// written to.)
  void on_gone(std::function<void()> then);
  /// While nothing else was sent for `every`, `bytes` are. 0: off.
  void keep_alive(std::string bytes, Milliseconds every);
  bool gone() const;

 private:
  std::shared_ptr<detail::ExchangeState> state_;
};

/// Move-only; one answer. Thread-safe; nothing blocks. Dropped without an answer: 500.
class Exchange {
 public:
  Exchange() = default;
  explicit Exchange(std::shared_ptr<detail::ExchangeState> state) : state_(std::move(state)) {}
  Exchange(Exchange&&) noexcept = default;
  Exchange& operator=(Exchange&& other) noexcept;
  ~Exchange();

  /// The whole answer. The second answer to one exchange is ignored and logged. Content-Length, Date,
  /// x-request-id and security headers are added.
  void respond(int status, std::string_view content_type, std::string body, const Headers& headers = {});
  /// An error, as ServerOptions::error_body writes it.
  void fail(const HttpError& error, const Headers& headers = {});
  /// Sends the headers at once; the body follows in pieces (chunked; until close for HTTP/1.0).
  Stream stream(int status, std::string_view content_type, const Headers& headers = {});
  /// As Stream::on_gone, for before the answer has begun; carries over to the stream. Never called once
  /// respond() was.
  void on_gone(std::function<void()> then);
  bool gone() const;
  bool answered() const;

 private:
  friend class Upgrade;
  std::shared_ptr<detail::ExchangeState> state_;
};

}  // namespace braid::net
