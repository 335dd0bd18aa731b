// How answers go out.
#include <utility>

#include "connection.h"
#include "web_socket_session.h"

namespace braid::net::detail {

namespace {

constexpr std::size_t kWriteBytes = 64 << 10;  // put together up to this, one system call each

TimePoint now() { return std::chrono::steady_clock::now(); }

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

std::string framed(std::string_view piece, Framing framing) {
  std::string out;
  if (framing == Framing::kChunked)
    add_chunk(out, piece);
  else
    out = piece;
  return out;
}

std::optional<DropReason> reason_of(int status) {
  switch (status) {
    case 408:
      return DropReason::kTimeout;
    case 413:
    case 431:
      return DropReason::kTooLarge;
    case 400:
    case 501:
      return DropReason::kMalformed;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string Connection::head(const Answer& answer, Framing framing, std::size_t length, bool page) {
  facts_.keep_alive = facts_.keep_alive && !stopping_;
  core_->counters.answered(answer.status);
  return head_text(
      answer, {facts_.id, facts_.cors_origin, facts_.http_1_0, facts_.keep_alive, page, framing, length});
}

Task<bool> Connection::refuse(HttpError error, bool go_on, Headers headers) {
  const auto reason = reason_of(error.status);
  facts_.keep_alive = facts_.keep_alive && go_on;
  Answer answer{error.status, "application/json", std::move(headers), (*core_->error_body)(error)};
  co_await send_answer(std::move(answer));
  // What was refused is counted though the answer went out, but it doesn't end a connection that can go on.
  if (reason && !facts_.keep_alive) drop(*reason);
  co_return facts_.keep_alive;
}

Task<bool> Connection::send_answer(Answer answer, bool page) {
  const bool bare = has_no_body(answer.status);
  std::string text = head(answer, bare ? Framing::kNone : Framing::kLength, answer.body.size(), page);
  const bool with_body = !bare && !facts_.head_only;
  const bool together = with_body && answer.body.size() <= kWriteBytes;
  if (together) text += answer.body;
  if (!co_await write(text)) co_return false;
  if (with_body && !together && !co_await write(answer.body)) co_return false;
  co_return facts_.keep_alive;
}

// Waits for what the handler says, with a read under way so that the client's going is noticed.
Task<bool> Connection::answer(const Request* upgrade) {
  // For a WebSocket nothing may be read before the protocol is switched; so its decision has a time limit
  // instead.
  const TimePoint until =
      upgrade != nullptr ? now() + core_->options.limits.handshake_timeout : TimePoint::max();
  ExchangeState::Batch batch = exchange_->take();
  while (!batch.first && !batch.aborted) {
    if (in_closed_ || now() >= until) co_return false;
    if (upgrade == nullptr) read_more();
    co_await wait(until);
    batch = exchange_->take();
  }
  if (ended_) co_return false;
  if (batch.kind == ExchangeState::Kind::kStream) co_return co_await send_stream(std::move(batch));
  if (batch.kind == ExchangeState::Kind::kWhole) co_return co_await send_answer(std::move(batch.answer));
  if (batch.kind == ExchangeState::Kind::kUpgrade && upgrade != nullptr) {
    const auto session = std::make_shared<WebSocketSession>(shared_from_this(), std::move(batch.web_socket));
    web_socket_ = session;
    co_await session->run(*upgrade, std::move(batch.subprotocol));
    co_return false;
  }
  core_->counters.drop(DropReason::kAborted);
  HttpError error{500,
                  "the request ended without an answer; please report it with its x-request-id",
                  {},
                  {},
                  "no_answer"};
  co_return co_await refuse(std::move(error), true);
}

Task<bool> Connection::send_stream(ExchangeState::Batch batch) {
  const Framing framing = facts_.http_1_0 ? Framing::kUntilClose : Framing::kChunked;
  if (facts_.http_1_0) facts_.keep_alive = false;
  if (!co_await write(head(batch.answer, framing, 0, false))) co_return false;
  if (facts_.head_only) {  // that was all of it
    guarded("on_gone", exchange_->detach());
    co_return facts_.keep_alive;
  }
  while (true) {
    if (!co_await send_pieces(batch, framing)) co_return false;
    if (batch.finished) {
      if (framing == Framing::kChunked && !co_await write(kLastChunk)) co_return false;
      co_return facts_.keep_alive;
    }
    if (batch.aborted) core_->counters.drop(DropReason::kAborted);
    if (batch.aborted || in_closed_) co_return false;
    read_more();
    const bool keeps_alive = batch.keep_alive_every > Milliseconds{0};
    const TimePoint until = keeps_alive ? now() + batch.keep_alive_every : TimePoint::max();
    const bool was_changed = co_await wait(until);
    batch = exchange_->take();
    if (!was_changed && batch.pieces.empty() && !batch.finished && now() >= until)
      if (!co_await write(framed(batch.keep_alive, framing))) co_return false;
  }
}

Task<bool> Connection::send_pieces(ExchangeState::Batch& batch, Framing framing) {
  std::string out;
  std::size_t weight = 0;
  for (std::size_t i = 0; i < batch.pieces.size(); ++i) {
    const std::string& piece = batch.pieces[i];
    weight += weight_of(piece);
    out += framed(piece, framing);
    if (out.size() < kWriteBytes && i + 1 < batch.pieces.size()) continue;
    if (!co_await write(out)) co_return false;
    exchange_->sent(std::exchange(weight, 0));
    out.clear();
  }
  co_return true;
}

}  // namespace braid::net::detail
