#include "connection.h"

#include <netinet/tcp.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "braid/base/log.h"
#include "message.h"
#include "web_socket_session.h"

namespace braid::net::detail {

namespace {

constexpr std::chrono::seconds kLinger{2};
constexpr std::size_t kMaxDrained = 4 << 20;
constexpr std::chrono::seconds kLookAfterClient{1};

// It has sent its end, or the connection is broken, though there may be bytes left to read.
bool has_left(tcp::socket& socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  return info.tcpi_state != TCP_ESTABLISHED;
}

void set_up(tcp::socket& socket, const Limits& limits) {
  error_code ignored;
  best_effort(socket.set_option(tcp::no_delay(true), ignored));
  best_effort(socket.set_option(asio::socket_base::keep_alive(true), ignored));
  if (limits.socket_send_buffer > 0)
    best_effort(socket.set_option(asio::socket_base::send_buffer_size(limits.socket_send_buffer), ignored));
  // A peer whose machine vanished is given up by the kernel as well, also while we only wait for it.
  const int patience_ms = static_cast<int>(limits.write_timeout.count());
  setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
}

}  // namespace

void Watchdog::watch(std::weak_ptr<void> owner, Milliseconds patience, bool progress,
                     std::function<void()> bite) {
  owner_ = std::move(owner);
  bite_ = std::move(bite);
  patience_ = patience;
  progress_ = progress;
  sent_before_ = traffic_.out;
  deadline_ = std::chrono::steady_clock::now() + patience;
  if (!armed_ || timer_.expiry() > *deadline_) arm();
}

void Watchdog::arm() {
  armed_ = true;
  timer_.expires_at(*deadline_);
  timer_.async_wait([this, owner = owner_](error_code error) {
    if (error) return;  // armed anew or stopped
    if (const auto alive = owner.lock()) look();
  });
}

void Watchdog::look() {
  armed_ = false;
  if (!deadline_) return;
  const TimePoint now = std::chrono::steady_clock::now();
  if (now >= *deadline_) {
    if (!progress_ || traffic_.out == sent_before_) return std::exchange(bite_, nullptr)();
    sent_before_ = traffic_.out;
    deadline_ = now + patience_;
  }
  arm();
}

void Watchdog::stop() {
  deadline_.reset();
  bite_ = nullptr;
  timer_.cancel();
}

Connection::Connection(std::shared_ptr<Core> core, std::shared_ptr<IoThread> io, tcp::socket socket)
    : core_(std::move(core)),
      io_(std::move(io)),
      transport_(std::move(socket), core_->tls ? &*core_->tls : nullptr),
      changed_(transport_.get_executor()),
      watchdog_(transport_.get_executor(), transport_.traffic()),
      body_share_(core_->body_bytes, core_->options.limits.bodies_bytes) {
  error_code error;
  remote_ = transport_.socket().remote_endpoint(error).address();
  transport_.traffic().sum_in = &core_->counters.bytes_in;
  transport_.traffic().sum_out = &core_->counters.bytes_out;
  set_up(transport_.socket(), core_->options.limits);
  in_.max_size(std::max<std::size_t>(64 << 10, 2 * core_->options.limits.header_bytes));
  ++core_->counters.connections;
  ++core_->counters.connections_open;
}

Connection::~Connection() {
  core_->strike(this);
  core_->admission.leave(remote_);
  --core_->counters.connections_open;
}

void Connection::start() {
  core_->enlist(shared_from_this());
  asio::co_spawn(
      transport_.get_executor(), [self = shared_from_this()]() -> Task<> { return self->run(); },
      asio::detached);
}

Task<> Connection::run() {
  const auto self = shared_from_this();
  stopping_ = core_->stopping;
  try {
    if (co_await shake_hands()) {
      while (co_await serve_one()) facts_ = {};
    }
    if (!ended_) co_await close_gently();
  } catch (const std::exception& error) {
    log(LogLevel::kError, "a connection ended by an error of ours: {}", error.what());
  }
  end();
}

Task<bool> Connection::shake_hands() {
  if (!transport_.is_tls()) co_return true;
  watchdog_.watch(weak_from_this(), core_->options.limits.handshake_timeout, false,
                  [this] { end(DropReason::kTimeout); });
  if (co_await speaks_http()) co_await refuse_http();
  if (ended_) co_return false;
  const auto [error] = co_await transport_.tls().async_handshake(asio::ssl::stream_base::server, kAwait);
  watchdog_.rest();
  if (error && !ended_) end(error == asio::error::eof ? DropReason::kGone : DropReason::kMalformed);
  co_return !error;
}

// A method's letter, where TLS begins with a byte of 22.
Task<bool> Connection::speaks_http() {
  const auto [error] = co_await transport_.socket().async_wait(tcp::socket::wait_read, kAwait);
  if (error || ended_) co_return false;
  char first = 0;
  error_code ignored;
  const std::size_t n =
      transport_.socket().receive(asio::buffer(&first, 1), asio::socket_base::message_peek, ignored);
  co_return n == 1 && first >= 'A' && first <= 'Z';
}

// Who writes http:// for https:// would else see a connection that ends without a word.
Task<> Connection::refuse_http() {
  drop(DropReason::kMalformed);
  core_->counters.answered(400);
  Answer answer;
  answer.status = 400;
  answer.content_type = "application/json";
  answer.body = (*core_->error_body)(
      {400, "this port speaks TLS: ask https:// in place of http://", {}, {}, "http_to_tls_port"});
  HeadFacts facts;
  facts.keep_alive = false;
  facts.length = answer.body.size();
  const std::string text = head_text(answer, facts) + answer.body;
  co_await asio::async_write(transport_.socket(), asio::buffer(text), kAwait);
  draining_ = true;  // what follows is no TLS
  if (!ended_) co_await close_gently();
  end();
}

// Tells the client that no more comes, and takes what it still sends for a while: closing at once would reset
// the connection, and the client might lose an answer that it hasn't read (RFC 9112, 9.6).
Task<> Connection::close_gently() {
  watchdog_.watch(weak_from_this(), std::chrono::duration_cast<Milliseconds>(kLinger), false,
                  [this] { end(); });
  if (transport_.is_tls() && !draining_) co_await transport_.tls().async_shutdown(kAwait);
  error_code ignored;
  best_effort(transport_.socket().shutdown(tcp::socket::shutdown_send, ignored));
  draining_ = true;
  in_.clear();
  while (!in_closed_ && !ended_ && drained_ < kMaxDrained) {
    read_more();
    co_await changed_.wait(TimePoint::max());
  }
}

// One read at a time, into a buffer of its own: what came before is consumed while this read is under way.
// What is to be thrown away is read below TLS, which was shut down.
void Connection::read_more() {
  if (reading_ || in_closed_ || in_.size() >= in_.max_size()) return;
  reading_ = true;
  const auto into = asio::buffer(arriving_.data(), std::min(arriving_.size(), in_.max_size() - in_.size()));
  auto done = [self = shared_from_this()](error_code error, std::size_t n) { self->on_read(error, n); };
  if (draining_)
    transport_.socket().async_read_some(into, std::move(done));
  else
    transport_.async_read_some(into, std::move(done));
}

// What a client has sent behind the request being answered may fill what is read into; its end stands behind
// that, and is asked of the kernel.
Task<bool> Connection::wait(TimePoint until) {
  while (!reading_ && !in_closed_ && in_.size() >= in_.max_size()) {
    const TimePoint look = std::min(until, std::chrono::steady_clock::now() + kLookAfterClient);
    if (co_await changed_.wait(look)) co_return true;
    if (has_left(transport_.socket())) {
      in_closed_ = true;
      client_gone();
      co_return true;
    }
    if (look == until) co_return false;
  }
  co_return co_await changed_.wait(until);
}

void Connection::on_read(error_code error, std::size_t n) {
  reading_ = false;
  if (draining_) {
    drained_ += n;
    in_closed_ = in_closed_ || error;
  } else if (error) {
    in_closed_ = true;
    client_gone();
  } else {
    in_.commit(asio::buffer_copy(in_.prepare(n), asio::buffer(arriving_.data(), n)));
  }
  changed_.set();
}

// The client's side ended. An answer that is complete is still sent, as far as it will go.
void Connection::client_gone() {
  if (!exchange_ || exchange_->finished()) return;
  drop(DropReason::kGone);
  guarded("on_gone", exchange_->detach());
}

Task<bool> Connection::write(std::string_view bytes) {
  if (ended_) co_return false;
  watchdog_.watch(weak_from_this(), core_->options.limits.write_timeout, true,
                  [this] { end(DropReason::kSlowClient); });
  const auto [error, n] =
      co_await asio::async_write(transport_, asio::buffer(bytes.data(), bytes.size()), kAwait);
  watchdog_.rest();
  if (!error) co_return true;
  if (!ended_) end(error == asio::error::timed_out ? DropReason::kSlowClient : DropReason::kGone);
  co_return false;
}

// A connection is dropped for the first reason alone; what follows from that is no reason of its own.
void Connection::drop(DropReason reason) {
  if (std::exchange(dropped_, true)) return;
  core_->counters.drop(reason);
  log(LogLevel::kDebug, "connection from {} dropped: {}", remote_.to_string(), to_string(reason));
}

void Connection::end(DropReason reason) {
  if (ended_) return;
  drop(reason);
  if (reason == DropReason::kSlowClient) {
    // What the kernel still holds for it is freed at once.
    error_code ignored;
    best_effort(transport_.socket().set_option(asio::socket_base::linger(true, 0), ignored));
  }
  end();
}

void Connection::end() {
  if (std::exchange(ended_, true)) return;
  in_closed_ = true;
  watchdog_.stop();
  transport_.close();
  changed_.set();
  if (exchange_) guarded("on_gone", exchange_->detach());
  if (const auto session = web_socket_.lock()) session->on_wake();
}

void Connection::check_key(const KeyCheck& valid) {
  if (facts_.key.empty() || ended_ || valid(facts_.key)) return;
  drop(DropReason::kKeyRemoved);
  const auto session = web_socket_.lock();
  if (!session) return end();
  session->close({1008, "the API key is not valid any more"});
}

void Connection::stop_soon() {
  stopping_ = true;
  if (const auto session = web_socket_.lock()) session->stopping();
  changed_.set();
}

void Connection::on_wake() {
  if (exchange_ && exchange_->too_slow()) end(DropReason::kSlowClient);
  changed_.set();
}

}  // namespace braid::net::detail
