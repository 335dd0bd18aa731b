#include "web_socket_state.h"

#include <utility>

#include "exchange_state.h"

namespace braid::net::detail {

namespace {

constexpr std::size_t kMaxReason = 123;  // RFC 6455: a control frame holds 125 bytes

}  // namespace

// Called without the lock; whoever set woken_ calls it.
void WebSocketState::wake() {
  std::weak_ptr<Wakeable> session;
  {
    const std::scoped_lock lock(mutex_);
    session = session_;
  }
  io_->wake(std::move(session));
}

void WebSocketState::start(WebSocketEvents events) {
  const auto shared = std::make_shared<WebSocketEvents>(std::move(events));
  bool lives = false;
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(started_, true)) return;
    lives = !ended_;
    if (lives) events_ = shared;
    if (lives && std::exchange(woken_, true)) return;
  }
  if (lives) return wake();
  const auto call = [shared, ended = *ended_] {  // set once, before this
    guarded("on_closed", [&] {
      if (shared->on_closed) shared->on_closed(ended.code, ended.reason);
    });
  };
  if (!io_->post(call)) call();
}

WriteResult WebSocketState::send(Message message) {
  WriteResult result = WriteResult::kTaken;
  {
    const std::scoped_lock lock(mutex_);
    if (ended_ || closing_ || too_slow_) return WriteResult::kGone;
    const std::size_t weight = weight_of(message.data);
    if (waiting_ > 0 && waiting_ + weight > budget_) {
      too_slow_ = true;
      messages_.clear();
      woken_ = false;  // it looked before, and waits for the client since then
      result = WriteResult::kTooSlow;
    } else {
      waiting_ += weight;
      messages_.push_back(std::move(message));
    }
    if (std::exchange(woken_, true)) return result;
  }
  wake();
  return result;
}

void WebSocketState::set_reading(bool on) {
  {
    const std::scoped_lock lock(mutex_);
    reading_ = on;
    if (ended_ || std::exchange(woken_, true)) return;
  }
  wake();
}

void WebSocketState::close(Closing closing) {
  closing.reason = closing.reason.substr(0, kMaxReason);
  {
    const std::scoped_lock lock(mutex_);
    if (ended_ || closing_) return;
    closing_ = std::move(closing);
    if (std::exchange(woken_, true)) return;
  }
  wake();
}

bool WebSocketState::gone() const {
  const std::scoped_lock lock(mutex_);
  return ended_ || too_slow_;
}

void WebSocketState::attach(std::weak_ptr<Wakeable> session) {
  const std::scoped_lock lock(mutex_);
  session_ = std::move(session);
}

WebSocketState::Batch WebSocketState::take() {
  const std::scoped_lock lock(mutex_);
  woken_ = false;
  return {std::exchange(messages_, {}), closing_, too_slow_};
}

void WebSocketState::sent(std::size_t weight) {
  const std::scoped_lock lock(mutex_);
  waiting_ -= weight;
}

bool WebSocketState::may_read() const {
  const std::scoped_lock lock(mutex_);
  return started_ && reading_;
}

std::optional<Closing> WebSocketState::closing() const {
  const std::scoped_lock lock(mutex_);
  return closing_;
}

bool WebSocketState::too_slow() const {
  const std::scoped_lock lock(mutex_);
  return too_slow_;
}

std::shared_ptr<WebSocketEvents> WebSocketState::events() const {
  const std::scoped_lock lock(mutex_);
  return events_;
}

void WebSocketState::deliver(Message message) {
  const auto events = this->events();
  if (!events || !events->on_message) return;
  guarded("on_message", [&] { events->on_message(std::move(message.data), message.text); });
}

void WebSocketState::stopping() {
  const auto events = this->events();
  if (!events || !events->on_stopping) return close({1001, "the server stops"});
  guarded("on_stopping", events->on_stopping);
}

void WebSocketState::end(Closing closing) {
  std::shared_ptr<WebSocketEvents> events;
  std::vector<Message> unsent;
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) return;
    ended_ = closing;
    events = std::exchange(events_, nullptr);
    unsent = std::exchange(messages_, {});
  }
  if (!events || !events->on_closed) return;
  guarded("on_closed", [&] { events->on_closed(closing.code, closing.reason); });
}

}  // namespace braid::net::detail

namespace braid::net {

WebSocket& WebSocket::operator=(WebSocket&& other) noexcept {
  if (this != &other) {
    if (state_) state_->close({1001, {}});
    state_ = std::move(other.state_);
  }
  return *this;
}
WebSocket::~WebSocket() {
  if (state_) state_->close({1001, {}});
}
void WebSocket::start(WebSocketEvents events) {
  if (state_) state_->start(std::move(events));
}
WriteResult WebSocket::send(std::string text) {
  return state_ ? state_->send({std::move(text), true}) : WriteResult::kGone;
}
WriteResult WebSocket::send_binary(std::string bytes) {
  return state_ ? state_->send({std::move(bytes), false}) : WriteResult::kGone;
}
void WebSocket::set_reading(bool on) {
  if (state_) state_->set_reading(on);
}
void WebSocket::close(std::uint16_t code, std::string_view reason) {
  if (state_) state_->close({code, std::string(reason)});
}
bool WebSocket::gone() const { return !state_ || state_->gone(); }

WebSocket Upgrade::accept(std::string_view subprotocol) {
  return exchange_.state_ ? WebSocket(exchange_.state_->upgrade(std::string(subprotocol))) : WebSocket();
}

}  // namespace braid::net
