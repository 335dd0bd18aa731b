#pragma once
// Server-sent events (WHATWG HTML, "Server-sent events") over a stream.

#include <functional>
#include <string>
#include <string_view>

#include "braid/net/exchange.h"

namespace braid::net {

/// Thread-safe as Stream is; nothing blocks. Comments keep it alive while nothing is sent.
class Sse {
 public:
  Sse() = default;
  /// Answers `exchange` with 200 and text/event-stream.
  explicit Sse(Exchange exchange, Milliseconds keep_alive = Milliseconds{15'000},
               const Headers& headers = {});

  /// One event; lines of `data` become data fields of it. `id`, `name`: left out when empty; no line breaks
  /// in them (they are cut there).
  WriteResult event(std::string_view data, std::string_view id = {}, std::string_view name = {});
  void finish() { stream_.finish(); }
  void on_gone(std::function<void()> then) { stream_.on_gone(std::move(then)); }
  bool gone() const { return stream_.gone(); }

 private:
  Stream stream_;
};

/// An event as bytes.
std::string sse_event(std::string_view data, std::string_view id = {}, std::string_view name = {});

}  // namespace braid::net
