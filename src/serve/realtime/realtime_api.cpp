#include "realtime/realtime_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/api_errors.h"
#include "server/stamps.h"

namespace braid::serve {

namespace {

constexpr const char* kPath = "/v1/realtime";
constexpr std::string_view kSecretPrefix = "ek_";
constexpr Milliseconds kEndPatience{2000};  // ending takes a step or two

net::HttpError http_error(const openai::ApiError& error) {
  return {error.http_status, error.message, error.type, error.param, error.code};
}

class NetWire final : public RealtimeWire {
 public:
  explicit NetWire(net::WebSocket socket) : socket_(std::move(socket)) {}
  void send(std::string text) override { socket_.send(std::move(text)); }
  void close(std::uint16_t code, std::string_view reason) override { socket_.close(code, reason); }
  void start(net::WebSocketEvents events) { socket_.start(std::move(events)); }

 private:
  net::WebSocket socket_;
};

net::WebSocketEvents events_of(const std::shared_ptr<RealtimeConnection>& connection) {
  net::WebSocketEvents events;
  events.on_message = [connection](const std::string& message, bool text) {
    connection->message(message, text);
  };
  events.on_closed = [connection](std::uint16_t, const std::string&) { connection->closed(); };
  events.on_stopping = [connection] { connection->stopping(); };
  return events;
}

bool offers(const net::Request& request, std::string_view subprotocol) {
  const auto& offered = request.subprotocols;
  return std::find(offered.begin(), offered.end(), subprotocol) != offered.end();
}

}  // namespace

RealtimeApi::RealtimeApi(const RealtimeApiParts& parts)
    : parts_(parts),
      connection_parts_{.sessions = parts.sessions,
                        .speech = parts.speech,
                        .model = parts.engine.info,
                        .pictures = parts.ingest,
                        .transcriber = std::nullopt,
                        .clock = parts.clock,
                        .end_session = nullptr,
                        .bounds = {}},
      secrets_(parts.clock),
      changed_(parts.clock) {
  connection_parts_.transcriber.emplace(
      TranscriberParts{parts.chats, parts.media, *parts.engine.tokenizer, parts.clock});
  connection_parts_.pictures.max_frame_side = parts.engine.info.max_frame_side;
  connection_parts_.end_session = [this](std::shared_ptr<LiveSession> session) {
    std::lock_guard lock(mutex_);
    to_end_.push_back(std::move(session));
    ++ending_;
    changed_.notify_all();
  };
  ender_ = Thread(parts.clock, "realtime-end", [this] { end_sessions(); });
}

RealtimeApi::~RealtimeApi() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  ender_.join();
}

void RealtimeApi::end_sessions() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !to_end_.empty(); });
    if (to_end_.empty()) return;
    std::shared_ptr<LiveSession> session = std::move(to_end_.front());
    to_end_.pop_front();
    lock.unlock();
    parts_.sessions.end(session->id(), session->owner());
    session.reset();  // waits for its threads
    lock.lock();
    --ending_;
    changed_.notify_all();
  }
}

Result<std::shared_ptr<RealtimeConnection>> RealtimeApi::open(const SecretGrant& grant) {
  auto connection = RealtimeConnection::open(connection_parts_, grant.config, grant.owner, random_word());
  if (connection || connection.error().code != ErrorCode::kFull) return connection;
  // Who reconnects at once comes before the session that was left has ended.
  std::unique_lock lock(mutex_);
  if (ending_ == 0) return connection;
  changed_.wait_until(lock, parts_.clock.now() + kEndPatience, [this] { return ending_ == 0; });
  lock.unlock();
  return RealtimeConnection::open(connection_parts_, grant.config, grant.owner, random_word());
}

net::Authorise RealtimeApi::with_secrets(net::Authorise rule) {
  if (!rule) return rule;
  return [this, rule = std::move(rule)](const net::Request& request) -> std::optional<std::string> {
    if (request.path == kPath)
      if (auto grant = secrets_.find(request.token)) return grant->owner;
    return rule(request);
  };
}

void RealtimeApi::add_routes(net::Router& router) {
  net::WebSocketRouteOptions options;
  options.key_subprotocol = "openai-insecure-api-key.";
  router.websocket(
      kPath,
      [this](net::Request request, net::Upgrade upgrade) {
        auto asked =
            std::make_shared<std::pair<net::Request, net::Upgrade>>(std::move(request), std::move(upgrade));
        const Status posted =
            parts_.workers.post([this, asked] { connect(asked->first, std::move(asked->second)); });
        if (!posted) asked->second.refuse(http_error(openai::to_api_error(posted.error())));
      },
      options);
  router.route("POST", "/v1/realtime/client_secrets",
               [this](const net::Request& request, net::Exchange exchange) {
                 make_secret(request, std::move(exchange));
               });
}

void RealtimeApi::connect(const net::Request& request, net::Upgrade upgrade) {
  SecretGrant grant{request.key_name, {}};
  if (request.token.starts_with(kSecretPrefix)) {
    auto found = secrets_.find(request.token);
    if (!found)
      return upgrade.refuse({401, "the client secret is unknown or its time is over: ask for another one",
                             "invalid_request_error", "", "invalid_api_key"});
    grant = std::move(*found);
  }
  if (request.query_value("intent").value_or("") == "transcription")
    return upgrade.refuse({400, "there are no sessions that only transcribe: set audio.input.transcription",
                           "invalid_request_error", "intent", "unsupported_value"});
  if (const auto model = request.query_value("model"); model && grant.config.model.empty())
    grant.config.model = std::string(*model).substr(0, 256);
  if (grant.config.model.empty()) grant.config.model = parts_.engine.info.name;
  if (!RealtimeConnection::abilities(connection_parts_).hears) grant.config.turns.reset();
  auto connection = open(grant);
  if (!connection) return upgrade.refuse(http_error(openai::to_api_error(connection.error())));
  auto wire = std::make_unique<NetWire>(upgrade.accept(offers(request, "realtime") ? "realtime" : ""));
  NetWire* const socket = wire.get();  // the connection's, which the events keep
  (*connection)->begin(std::move(wire));
  socket->start(events_of(*connection));
}

void RealtimeApi::make_secret(const net::Request& request, net::Exchange exchange) {
  openai::RealtimeConfig start;
  start.model = parts_.engine.info.name;
  const openai::RealtimeAbilities can = RealtimeConnection::abilities(connection_parts_);
  if (!can.hears) start.turns.reset();
  auto wanted = openai::parse_client_secret(request.body, start, can);
  if (!wanted) return respond_error(exchange, wanted.error());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto expires = std::chrono::duration_cast<std::chrono::seconds>(now + wanted->life).count();
  auto secret = secrets_.make({request.key_name, wanted->config}, wanted->life);
  if (!secret) return respond_error(exchange, openai::to_api_error(secret.error()));
  wanted->config.id = new_id("sess_");
  exchange.respond(200, "application/json", openai::print_client_secret(*secret, expires, wanted->config));
}

}  // namespace braid::serve
