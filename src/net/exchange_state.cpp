#include "exchange_state.h"

#include <utility>

#include "braid/base/log.h"
#include "web_socket_state.h"

namespace braid::net::detail {

// Called without the lock; whoever set woken_ calls it.
void ExchangeState::wake() { sleeper_.io->wake(sleeper_.who); }

void ExchangeState::respond(Answer answer) {
  std::function<void()> unused;  // released after the lock
  {
    const std::scoped_lock lock(mutex_);
    if (kind_ != Kind::kNone) return log(LogLevel::kError, "a second answer to one request was ignored");
    kind_ = next_.kind = Kind::kWhole;
    next_.first = finished_ = next_.finished = true;
    next_.answer = std::move(answer);
    unused = std::exchange(on_gone_, nullptr);
    if (detached_ || std::exchange(woken_, true)) return;
  }
  wake();
}

void ExchangeState::fail(const HttpError& error, Headers headers) {
  respond({error.status, "application/json", std::move(headers), (*error_body_)(error)});
}

bool ExchangeState::begin_stream(Answer answer) {
  {
    const std::scoped_lock lock(mutex_);
    if (kind_ != Kind::kNone) {
      log(LogLevel::kError, "a second answer to one request was ignored");
      return false;
    }
    kind_ = next_.kind = Kind::kStream;
    next_.first = true;
    next_.answer = std::move(answer);
    if (detached_ || std::exchange(woken_, true)) return true;
  }
  wake();
  return true;
}

std::shared_ptr<WebSocketState> ExchangeState::upgrade(std::string subprotocol) {
  auto web_socket = std::make_shared<WebSocketState>(sleeper_.io, budget_);
  std::function<void()> unused;
  {
    const std::scoped_lock lock(mutex_);
    if (kind_ != Kind::kNone || detached_) {
      web_socket->end({1006, "the connection had ended before it was accepted"});
      return web_socket;
    }
    kind_ = next_.kind = Kind::kUpgrade;
    next_.first = finished_ = true;
    next_.subprotocol = std::move(subprotocol);
    next_.web_socket = web_socket;
    unused = std::exchange(on_gone_, nullptr);
    if (std::exchange(woken_, true)) return web_socket;
  }
  wake();
  return web_socket;
}

WriteResult ExchangeState::write(std::string bytes) {
  WriteResult result = WriteResult::kTaken;
  {
    const std::scoped_lock lock(mutex_);
    if (kind_ != Kind::kStream || detached_ || too_slow_ || finished_) return WriteResult::kGone;
    if (bytes.empty() || no_body_) return WriteResult::kTaken;
    const std::size_t weight = weight_of(bytes);
    if (waiting_ > 0 && waiting_ + weight > budget_) {
      too_slow_ = next_.too_slow = true;
      next_.pieces.clear();
      woken_ = false;  // it looked before, and waits for the client since then
      result = WriteResult::kTooSlow;
    } else {
      waiting_ += weight;
      next_.weight += weight;
      next_.pieces.push_back(std::move(bytes));
    }
    if (std::exchange(woken_, true)) return result;
  }
  wake();
  return result;
}

void ExchangeState::finish() {
  std::function<void()> unused;
  {
    const std::scoped_lock lock(mutex_);
    if (kind_ != Kind::kStream || detached_ || too_slow_ || finished_) return;
    finished_ = next_.finished = true;
    unused = std::exchange(on_gone_, nullptr);
    if (std::exchange(woken_, true)) return;
  }
  wake();
}

void ExchangeState::abandon() {
  std::function<void()> unused;
  {
    const std::scoped_lock lock(mutex_);
    if (finished_) return;
    unused = std::exchange(on_gone_, nullptr);
    if (detached_) return;
    next_.aborted = true;
    if (std::exchange(woken_, true)) return;
  }
  wake();
}

void ExchangeState::on_gone(std::function<void()> then) {
  std::function<void()> unused;
  {
    const std::scoped_lock lock(mutex_);
    if (finished_) return;
    if (!detached_) {
      unused = std::exchange(on_gone_, std::move(then));
      return;
    }
  }
  const auto call = [then = std::move(then)] { guarded("on_gone", then); };
  if (!sleeper_.io->post(call)) call();
}

void ExchangeState::keep_alive(std::string bytes, Milliseconds every) {
  {
    const std::scoped_lock lock(mutex_);
    if (no_body_) return;
    next_.keep_alive = std::move(bytes);
    next_.keep_alive_every = every;
    if (detached_ || std::exchange(woken_, true)) return;
  }
  wake();
}

bool ExchangeState::gone() const {
  const std::scoped_lock lock(mutex_);
  return (detached_ || too_slow_) && !finished_;
}

bool ExchangeState::answered() const {
  const std::scoped_lock lock(mutex_);
  return kind_ != Kind::kNone;
}

ExchangeState::Batch ExchangeState::take() {
  const std::scoped_lock lock(mutex_);
  woken_ = false;
  Batch batch = std::move(next_);
  next_ = {};
  next_.kind = batch.kind = kind_;
  next_.finished = batch.finished;
  next_.aborted = batch.aborted;
  next_.keep_alive = batch.keep_alive;
  next_.keep_alive_every = batch.keep_alive_every;
  return batch;
}

void ExchangeState::sent(std::size_t weight) {
  const std::scoped_lock lock(mutex_);
  waiting_ -= weight;
}

bool ExchangeState::too_slow() const {
  const std::scoped_lock lock(mutex_);
  return too_slow_;
}

bool ExchangeState::finished() const {
  const std::scoped_lock lock(mutex_);
  return finished_;
}

std::function<void()> ExchangeState::detach() {
  Batch unused;
  std::function<void()> then;
  {
    const std::scoped_lock lock(mutex_);
    detached_ = true;
    unused = std::exchange(next_, {});
    if (!finished_) then = std::exchange(on_gone_, nullptr);
  }
  if (unused.web_socket) unused.web_socket->end({1006, "the client went away"});
  return then;
}

}  // namespace braid::net::detail

namespace braid::net {

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    if (state_) state_->abandon();
    state_ = std::move(other.state_);
  }
  return *this;
}
Stream::~Stream() {
  if (state_) state_->abandon();
}
WriteResult Stream::write(std::string bytes) {
  return state_ ? state_->write(std::move(bytes)) : WriteResult::kGone;
}
void Stream::finish() {
  if (state_) state_->finish();
}
void Stream::on_gone(std::function<void()> then) {
  if (state_) state_->on_gone(std::move(then));
}
void Stream::keep_alive(std::string bytes, Milliseconds every) {
  if (state_) state_->keep_alive(std::move(bytes), every);
}
bool Stream::gone() const { return !state_ || state_->gone(); }

Exchange& Exchange::operator=(Exchange&& other) noexcept {
  if (this != &other) {
    if (state_) state_->abandon();
    state_ = std::move(other.state_);
  }
  return *this;
}
Exchange::~Exchange() {
  if (state_) state_->abandon();
}
void Exchange::respond(int status, std::string_view content_type, std::string body, const Headers& headers) {
  if (state_) state_->respond({status, std::string(content_type), headers, std::move(body)});
}
void Exchange::fail(const HttpError& error, const Headers& headers) {
  if (state_) state_->fail(error, headers);
}
Stream Exchange::stream(int status, std::string_view content_type, const Headers& headers) {
  if (!state_ || !state_->begin_stream({status, std::string(content_type), headers, {}})) return Stream();
  return Stream(std::exchange(state_, nullptr));
}
void Exchange::on_gone(std::function<void()> then) {
  if (state_) state_->on_gone(std::move(then));
}
bool Exchange::gone() const { return !state_ || state_->gone(); }
bool Exchange::answered() const { return !state_ || state_->answered(); }

}  // namespace braid::net
