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
constexpr std::string_view kTokenPrefix = "braid-resume.";
constexpr std::uint16_t kNormal = 1000, kNoCode = 1005;  // RFC 6455: who closes so has no more to say
constexpr Milliseconds kEndPatience{3000};               // ending takes a step or two, and a last snapshot
constexpr Nanoseconds kStopPatience = std::chrono::seconds(60);

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

net::WebSocketEvents events_of(const std::shared_ptr<RealtimeConnection>& connection,
                               const std::shared_ptr<Lifecycle>& line) {
  net::WebSocketEvents events;
  events.on_message = [connection, line](const std::string& message, bool text) {
    connection->message(line, message, text);
  };
  events.on_closed = [connection, line](std::uint16_t code, const std::string& reason) {
    line->take(reason == net::kSilentReason ? LineEvent::kSilence : LineEvent::kEnd);
    connection->closed(line, code != kNormal && code != kNoCode);
  };
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
                        .turns = parts.turns,
                        .model = parts.engine.info,
                        .pictures = parts.ingest,
                        .transcriber = std::nullopt,
                        .clock = parts.clock,
                        .end_session = nullptr,
                        .durability = parts.durability,
                        .observers = parts.observers,
                        .bounds = {}},
      secrets_(parts.clock),
      changed_(parts.clock) {
  connection_parts_.transcriber.emplace(
      TranscriberParts{parts.chats, parts.media, *parts.engine.tokenizer, parts.clock});
  connection_parts_.pictures.max_frame_side = parts.engine.info.max_frame_side;
  connection_parts_.end_session = [this](const std::shared_ptr<LiveSession>& session, bool may_resume) {
    end_session(session, may_resume);
  };
  watcher_ = Thread(parts.clock, "realtime-watch", [this] { watch(); });
}

RealtimeApi::~RealtimeApi() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  watcher_.join();
  parts_.sessions.wait_for_ending(parts_.clock.now() + kStopPatience);
}

void RealtimeApi::watch() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const bool timed = !asking_.empty();
    const auto woken = [&] { return stopping_ || (!timed && !asking_.empty()); };
    if (timed)
      changed_.wait_until(lock, asking_.front()->until, woken);
    else
      changed_.wait(lock, woken);
    refuse_late();
  }
}

void RealtimeApi::end_session(const std::shared_ptr<LiveSession>& session, bool may_resume) {
  std::function<void()> after;
  Durability* durability = parts_.durability;
  const std::string &id = session->id(), &owner = session->owner();
  if (durability != nullptr && may_resume) {
    after = [durability, id] { durability->leave(id); };
  } else if (durability != nullptr) {
    after = [durability, id, owner] { durability->forget(id, owner); };
  }
  parts_.sessions.end(session, std::move(after));
}

RealtimeApi::Opened RealtimeApi::resume(const openai::SessionResume& wanted, const RealtimeClient& client) {
  if (parts_.durability == nullptr)
    return fail(ErrorCode::kNotFound, "this server keeps no sessions: it was started without --state-dir");
  // Its line may be dead, and nobody knows of it yet.
  if (auto living =
          std::dynamic_pointer_cast<RealtimeConnection>(parts_.durability->living(wanted, client.owner))) {
    if (living->live()) return living;
  }
  std::shared_ptr<RealtimeConnection> connection;
  const auto begin = [&](Resumed resumed) -> Result<std::shared_ptr<LiveSession>> {
    auto start =
        openai::parse_saved(resumed.saved.conversation, RealtimeConnection::abilities(connection_parts_),
                            connection_parts_.bounds.events);
    if (!start) return tl::unexpected(start.error());
    auto opened = RealtimeConnection::open(connection_parts_, std::move(*start), client, random_word(),
                                           SessionRebirth{resumed.saved.id,
                                                          resumed.saved.created,
                                                          std::move(resumed.image),
                                                          {},
                                                          resumed.saved.perceived,
                                                          resumed.saved.kept});
    if (!opened) return tl::unexpected(opened.error());
    if (!resumed.is_wanted()) {
      parts_.sessions.end(resumed.saved.id, client.owner);
      return fail(ErrorCode::kNotFound, "it was deleted as it began");
    }
    connection = std::move(*opened);
    return connection->live();
  };
  auto live = parts_.durability->resume(wanted, client.owner, SessionKind::kClient, begin);
  if (!live) return tl::unexpected(live.error());
  parts_.durability->converse(wanted.id, connection);
  return connection;
}

RealtimeApi::Opened RealtimeApi::open(const net::Request& request, const SecretGrant& grant) {
  RealtimeClient client{grant.owner, std::nullopt};
  if (const auto parent = request.header("traceparent")) client.traceparent = std::string(*parent);
  const auto id = request.query_value("resume");
  if (!id) {
    openai::SavedConversation start;
    start.config = grant.config;
    return RealtimeConnection::open(connection_parts_, std::move(start), std::move(client), random_word());
  }
  openai::SessionResume wanted{std::string(*id),
                               std::string(request.header("x-braid-resume-token").value_or(""))};
  for (const std::string& offered : request.subprotocols)
    if (offered.starts_with(kTokenPrefix)) wanted.token = offered.substr(kTokenPrefix.size());
  return resume(wanted, client);
}

RealtimeApi::Opened RealtimeApi::with_patience(const std::function<Opened()>& open) {
  auto connection = open();
  if (connection || connection.error().code != ErrorCode::kFull) return connection;
  // Who reconnects at once comes before the session that was left has ended.
  if (!parts_.sessions.places().any_ending()) return connection;
  parts_.sessions.wait_for_ending(parts_.clock.now() + kEndPatience);
  return open();
}

net::Authorise RealtimeApi::with_secrets(std::shared_ptr<net::KeyStore> keys) {
  return [this, keys = std::move(keys)](const net::Request& request) -> std::optional<net::Caller> {
    if (request.path == kPath)
      if (auto grant = secrets_.find(request.token); grant && keys->has_line(grant->key))
        return net::Caller{grant->owner, grant->key};
    return keys->find(request.token);
  };
}

void RealtimeApi::add_routes(net::Router& router) {
  net::WebSocketRouteOptions options;
  options.key_subprotocol = "openai-insecure-api-key.";
  router.websocket(
      kPath,
      [this](net::Request request, net::Upgrade upgrade) { ask(std::move(request), std::move(upgrade)); },
      options);
  router.route("POST", "/v1/realtime/client_secrets",
               [this](const net::Request& request, net::Exchange exchange) {
                 make_secret(request, std::move(exchange));
               });
}

void RealtimeApi::ask(net::Request request, net::Upgrade upgrade) {
  auto asking = std::make_shared<Asking>();
  asking->request = std::move(request);
  asking->upgrade = std::move(upgrade);
  asking->until = parts_.clock.now() + parts_.auth_timeout;
  asking->line = std::make_shared<Lifecycle>(illegal_);
  asking->line->take(LineEvent::kAsk);
  {
    std::lock_guard lock(mutex_);
    asking_.push_back(asking);
    changed_.notify_all();
  }
  const Status posted = parts_.workers.post([this, asking] { connect(*asking); });
  if (!posted) refuse(*asking, LineEvent::kRefuse, http_error(openai::to_api_error(posted.error())));
}

void RealtimeApi::refuse(Asking& asking, LineEvent why, const net::HttpError& error) {
  if (asking.line->take_from(LineState::kAuthPending, why)) asking.upgrade.refuse(error);
}

/// With mutex_ held.
void RealtimeApi::refuse_late() {
  const SteadyTime now = parts_.clock.now();
  while (!asking_.empty() &&
         (now >= asking_.front()->until || asking_.front()->line->state() != LineState::kAuthPending)) {
    refuse(*asking_.front(), LineEvent::kTimeout,
           {503, "the server is too busy to begin a session now: try again later", "server_error", "",
            "auth_timeout"});
    asking_.pop_front();
  }
}

void RealtimeApi::connect(Asking& asking) {
  const net::Request& request = asking.request;
  const auto refuse_with = [&](const net::HttpError& error) { refuse(asking, LineEvent::kRefuse, error); };
  SecretGrant grant{request.key_name, {}, {}};
  if (request.token.starts_with(kSecretPrefix)) {
    auto found = secrets_.find(request.token);
    if (!found)
      return refuse_with({401, "the client secret is unknown or its time is over: ask for another one",
                          "invalid_request_error", "", "invalid_api_key"});
    grant = std::move(*found);
  }
  if (request.query_value("intent").value_or("") == "transcription")
    return refuse_with({400, "there are no sessions that only transcribe: set audio.input.transcription",
                        "invalid_request_error", "intent", "unsupported_value"});
  if (const auto model = request.query_value("model"); model && grant.config.model.empty())
    grant.config.model = openai::to_model_name(*model);
  if (grant.config.model.empty()) grant.config.model = openai::to_model_name(parts_.engine.info.name);
  if (!RealtimeConnection::abilities(connection_parts_).hears) grant.config.turns.reset();
  auto connection = with_patience([&] { return open(request, grant); });
  if (!connection) return refuse_with(http_error(openai::to_api_error(connection.error())));
  if (!asking.line->take_from(LineState::kAuthPending, LineEvent::kAccept))
    return (*connection)->closed(asking.line, true);  // too late
  auto wire = std::make_shared<NetWire>(asking.upgrade.accept(offers(request, "realtime") ? "realtime" : ""));
  (*connection)->begin(wire, asking.line);
  wire->start(events_of(*connection, asking.line));
}

void RealtimeApi::make_secret(const net::Request& request, net::Exchange exchange) {
  openai::RealtimeConfig start;
  start.model = openai::to_model_name(parts_.engine.info.name);
  const openai::RealtimeAbilities can = RealtimeConnection::abilities(connection_parts_);
  if (!can.hears) start.turns.reset();
  auto wanted = openai::parse_client_secret(request.body, start, can);
  if (!wanted) return respond_error(exchange, wanted.error());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto expires = std::chrono::duration_cast<std::chrono::seconds>(now + wanted->life).count();
  auto secret = secrets_.make({request.key_name, net::key_line(request.token), wanted->config}, wanted->life);
  if (!secret) return respond_error(exchange, openai::to_api_error(secret.error()));
  wanted->config.id = new_id("sess_");
  exchange.respond(200, "application/json", openai::print_client_secret(*secret, expires, wanted->config));
}

}  // namespace braid::serve
