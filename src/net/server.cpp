#include "braid/net/server.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <condition_variable>

#include "braid/base/log.h"
#include "braid/net/client.h"
#include "braid/net/url.h"
#include "connection.h"

namespace braid::net {

using namespace detail;

namespace {

constexpr std::size_t kMaxRefusals = 64;  // told politely at once; more are just closed
constexpr unsigned kMaxThreads = 256;

/// What a browser sends as Origin, byte for byte (RFC 6454, 6.2), or "*".
Status check_origin(const std::string& origin) {
  if (origin == "*" || origin == "null") return {};
  const auto url = parse_url(origin);
  if (url && origin == url->origin()) return {};
  const std::size_t host = origin.find("://");
  // Of an extension or an app: any other scheme.
  if (!url && host != std::string::npos && host > 0 && !origin.starts_with("http") &&
      origin.size() > host + 3 && origin.find_first_of("/ ", host + 3) == std::string::npos)
    return {};
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is no origin; {}", origin,
                          url ? fmt::format("did you mean '{}'?", url->origin())
                              : "expected what browsers send, as https://example.com, or * for all"));
}

Status check_start(const ServerOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads)
    return fail(ErrorCode::kUsage,
                fmt::format("{} io threads; expected 1 to {}", options.threads, kMaxThreads));
  if (options.tls_cert.empty() != options.tls_key.empty())
    return fail(ErrorCode::kUsage, "TLS needs a certificate and its key; give both or none");
  for (const std::string& origin : options.cors_origins)
    if (Status sound = check_origin(origin); !sound) return sound;
  return {};
}

Result<tcp::endpoint> endpoint_of(const ServerOptions& options) {
  error_code error;
  const std::string literal = options.address == "localhost" ? "127.0.0.1" : options.address;
  const auto address = asio::ip::make_address(literal, error);
  if (error)
    return fail(ErrorCode::kUsage,
                fmt::format("address '{}'; expected an IP literal such as 127.0.0.1, 0.0.0.0 or ::1",
                            options.address));
  if (!is_loopback_address(literal) && !options.authorise)
    return fail(ErrorCode::kUsage,
                fmt::format("address '{}' can be reached from other machines and no API keys are set; "
                            "give a keys file, or listen on 127.0.0.1",
                            options.address));
  return tcp::endpoint(address, options.port);
}

/// Connections are taken in only where it `listens`.
Status open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool listens) {
  error_code error;
  const bool opened = !acceptor.open(endpoint.protocol(), error) &&
                      !acceptor.set_option(tcp::acceptor::reuse_address(true), error) &&
                      !acceptor.bind(endpoint, error) &&
                      (!listens || !acceptor.listen(asio::socket_base::max_listen_connections, error));
  if (opened) return {};
  const std::string at = fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
  if (error == asio::error::address_in_use)
    return fail(
        ErrorCode::kResource,
        fmt::format("{} is in use by another program; stop that or choose another port (0: any free one)",
                    at),
        true);
  if (error == asio::error::access_denied)
    return fail(ErrorCode::kResource,
                fmt::format("{} may not be listened on; choose a port from 1024 on", at));
  return fail(
      ErrorCode::kResource,
      fmt::format("{} can't be listened on: {}; choose an address of this machine", at, error.message()));
}

std::string refusal(const ErrorFormatter& error_body) {
  Answer answer{503,
                "application/json",
                {{"Retry-After", "1"}},
                error_body({503, "too many connections; try again", {}, {}, "too_many_connections"})};
  HeadFacts facts;
  facts.keep_alive = false;
  facts.length = answer.body.size();
  return head_text(answer, facts) + answer.body;
}

}  // namespace

struct Server::Impl {
  explicit Impl(std::shared_ptr<Core> shared) : core(std::move(shared)) {
    for (unsigned i = 0; i < core->options.threads; ++i)
      io.push_back(std::make_shared<IoThread>(fmt::format("net-{}", i)));
    acceptor.emplace(io[0]->context());
  }

  Task<> accept_loop();
  Task<> refuse(tcp::socket refused);
  void stop(Milliseconds grace);
  bool wait_for_connections(TimePoint until);
  void for_each_connection(const std::function<void(Connection&)>& call);

  std::shared_ptr<Core> core;
  std::vector<std::shared_ptr<IoThread>> io;
  std::optional<tcp::acceptor> acceptor;
  std::atomic<std::size_t> refusals{0};
  std::mutex stop_mutex;
  bool stopped = false;
};

Task<> Server::Impl::accept_loop() {
  asio::steady_timer pause(io[0]->context());
  for (std::size_t next = 0; !core->stopping; next = (next + 1) % io.size()) {
    auto [error, socket] = co_await acceptor->async_accept(io[next]->context(), kAwait);
    if (error == asio::error::operation_aborted || core->stopping) co_return;
    if (error) {  // no descriptors left, most likely: they may come back
      log(LogLevel::kWarning, "a connection can't be accepted: {}", error.message());
      pause.expires_after(std::chrono::milliseconds(100));
      co_await pause.async_wait(kAwait);
      continue;
    }
    const auto remote = socket.remote_endpoint(error);
    if (error) continue;  // it has gone already
    if (core->admission.enter(remote.address())) {
      std::make_shared<Connection>(core, io[next], std::move(socket))->start();
      continue;
    }
    core->counters.drop(DropReason::kTooManyConnections);
    if (core->tls || refusals >= kMaxRefusals) continue;
    const auto executor = socket.get_executor();
    asio::co_spawn(executor, refuse(std::move(socket)), asio::detached);
  }
}

Task<> Server::Impl::refuse(tcp::socket refused) {
  ++refusals;
  // The timer may have run out in the same turn in which the client's end ends this: its handler comes later.
  const auto held = std::make_shared<tcp::socket>(std::move(refused));
  tcp::socket& socket = *held;
  asio::steady_timer limit(socket.get_executor(), std::chrono::seconds(1));
  limit.async_wait([left = std::weak_ptr(held)](error_code error) {
    if (const auto still = left.lock(); still && !error) best_effort(still->close(error));
  });
  const std::string text = refusal(*core->error_body);
  core->counters.answered(503);
  co_await asio::async_write(socket, asio::buffer(text), kAwait);
  error_code ignored;
  best_effort(socket.shutdown(tcp::socket::shutdown_send, ignored));
  std::array<char, 4096> scrap{};
  while (true) {
    const auto [error, n] = co_await socket.async_read_some(asio::buffer(scrap), kAwait);
    if (error || core->stopping) break;
  }
  --refusals;
}

void Server::Impl::for_each_connection(const std::function<void(Connection&)>& call) {
  for (auto& connection : core->open()) {
    const auto& thread = connection->io();
    thread->post([connection = std::move(connection), call] { call(*connection); });
  }
}

bool Server::Impl::wait_for_connections(TimePoint until) {
  while (core->counters.connections_open > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return core->counters.connections_open == 0;
}

void Server::Impl::stop(Milliseconds grace) {
  const std::scoped_lock lock(stop_mutex);
  if (std::exchange(stopped, true)) return;
  core->stopping = true;
  io[0]->post([this] {
    error_code ignored;
    best_effort(acceptor->close(ignored));
  });
  const TimePoint until = std::chrono::steady_clock::now() + grace;
  for_each_connection([](Connection& connection) { connection.stop_soon(); });
  if (grace > Milliseconds{0}) wait_for_connections(until);
  while (!wait_for_connections(std::chrono::steady_clock::now() + Milliseconds{20}))
    for_each_connection([](Connection& connection) { connection.end(); });
  for (const auto& thread : io) thread->release();
  for (const auto& thread : io) thread->join();
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() { stop(Milliseconds{0}); }

Status Server::check(const ServerOptions& options) {
  if (auto status = check_start(options); !status) return status;
  const auto endpoint = endpoint_of(options);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (!options.tls_cert.empty()) {
    asio::ssl::context tls(asio::ssl::context::tls_server);
    if (auto status = load_certificate(tls, options); !status) return status;
  }
  asio::io_context context;
  tcp::acceptor acceptor(context);
  return open(acceptor, *endpoint, false);
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Router router) {
  if (auto status = check_start(options); !status) return tl::unexpected(status.error());
  const auto endpoint = endpoint_of(options);
  if (!endpoint) return tl::unexpected(endpoint.error());
  auto core = std::make_shared<Core>(std::move(options), std::move(router.table_));
  if (!core->options.tls_cert.empty()) {
    core->tls.emplace(asio::ssl::context::tls_server);
    if (auto status = load_certificate(*core->tls, core->options); !status)
      return tl::unexpected(status.error());
  }
  std::unique_ptr<Server> server(new Server(std::make_unique<Impl>(std::move(core))));
  Impl& impl = *server->impl_;
  if (auto status = open(*impl.acceptor, *endpoint, true); !status) return tl::unexpected(status.error());
  error_code error;
  const auto bound = impl.acceptor->local_endpoint(error);
  server->address_ = bound.address().to_string();
  server->port_ = bound.port();
  asio::co_spawn(impl.io[0]->context(), impl.accept_loop(), asio::detached);
  log(LogLevel::kInfo, "listening on {}", server->url());
  return server;
}

std::string Server::url() const {
  const bool v6 = address_.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", impl_->core->tls ? "https" : "http", v6 ? '[' + address_ + ']' : address_,
                     port_);
}

ServerStats Server::stats() const { return impl_->core->counters.read(); }

void Server::check_keys(std::function<bool(const std::string& key)> valid) {
  impl_->for_each_connection(
      [valid = std::move(valid)](Connection& connection) { connection.check_key(valid); });
}

void Server::stop(Milliseconds grace) { impl_->stop(grace); }

}  // namespace braid::net
