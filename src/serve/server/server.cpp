#include "braid/serve/server.h"

#include <chrono>
#include <utility>

#include "braid/net/key_store.h"
#include "braid/net/server.h"
#include "chat/chat_service.h"
#include "server/chat_api.h"
#include "server/live_sessions.h"
#include "server/sessions_api.h"
#include "server/status_api.h"
#include "server/transcription_api.h"
#include "server/workers.h"
#include "watch/load_model.h"

namespace braid::serve {

namespace {

LiveSessionsOptions sessions_options(const ServerConfig& config) {
  LiveSessionsOptions options;
  options.max_sessions = static_cast<std::size_t>(config.max_sessions);
  options.max_per_key = static_cast<std::size_t>(config.max_sessions_per_key);
  options.session = config.session;
  options.session.realtime = true;
  options.session.stay_open = true;
  options.ingest = config.ingest;
  return options;
}

ChatServiceOptions chat_options(const ServerConfig& config) {
  ChatServiceOptions options;
  options.max_waiting = static_cast<std::size_t>(config.max_waiting_requests);
  return options;
}

}  // namespace

/// In the order of dependence: what comes later uses what comes before.
struct Server::State {
  State(ServerConfig server_config, Clock& session_clock, engine::Engine loaded,
        std::unique_ptr<sync::SpeechDetectorFactory> detector)
      : config(std::move(server_config)),
        clock(session_clock),
        engine(std::move(loaded)),
        speech(std::move(detector)),
        host(engine, clock, config.host),
        media(engine, host.loop().arbiter(), speech.get(), clock),
        sessions(host, speech.get(), clock, sessions_options(config)),
        chats(host, clock, chat_options(config)),
        workers(clock, 2),
        chat_api(chats, media, sessions, workers, clock, engine),
        liveness(host, clock) {}

  Status listen();
  Status attach_sources();

  const ServerConfig config;
  Clock& clock;
  engine::Engine engine;
  std::unique_ptr<sync::SpeechDetectorFactory> speech;
  EngineHost host;
  MediaPrompts media;
  LiveSessions sessions;
  ChatService chats;
  Workers workers;
  ChatApi chat_api;
  Liveness liveness;
  std::unique_ptr<net::Server> net;
};

Status Server::State::listen() {
  net::Router router;
  router.route("POST", "/v1/chat/completions", [this](net::Request request, net::Exchange exchange) {
    chat_api.handle(std::move(request), std::move(exchange));
  });
  add_session_routes(router, sessions, workers);
  add_transcription_route(router, {chats, media, *engine.tokenizer, workers, clock});
  add_status_routes(router, engine.info, liveness);
  net::ServerOptions options;
  options.address = config.address;
  options.port = config.port;
  options.tls_cert = config.tls_cert;
  options.tls_key = config.tls_key;
  options.cors_origins = config.cors_origins;
  if (!config.keys_file.empty()) {
    auto keys = net::KeyStore::open(config.keys_file, clock);
    if (!keys) return tl::unexpected(keys.error());
    options.authorise = net::KeyStore::rule(*keys);
  }
  auto started = net::Server::start(std::move(options), std::move(router));
  if (!started) return tl::unexpected(started.error());
  net = std::move(*started);
  return {};
}

Status Server::State::attach_sources() {
  if (config.sources.empty()) return {};
  openai::SessionCreate wanted;
  wanted.sources = config.sources;
  auto live = sessions.create(wanted, "");
  if (!live) return tl::unexpected(live.error());
  return {};
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() { stop(Milliseconds(0)); }

Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Clock& clock) {
  auto engine = load_engine(config.model, {.cells = config.kv_cells,
                                           .max_sequences = config.sequences,
                                           .deterministic = config.host.deterministic});
  if (!engine) return tl::unexpected(engine.error());
  auto speech = load_speech(config.vad, engine->info);
  if (!speech) return tl::unexpected(speech.error());
  auto state = std::make_unique<State>(std::move(config), clock, std::move(*engine), std::move(*speech));
  state->host.loop().start();
  Status status = state->attach_sources();
  if (status) status = state->listen();
  if (!status) return tl::unexpected(status.error());
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

const engine::EngineInfo& Server::model() const { return state_->engine.info; }
std::string Server::url() const { return state_->net->url(); }

void Server::stop(Milliseconds grace) {
  if (state_->net) state_->net->stop(grace);
}

}  // namespace braid::serve
