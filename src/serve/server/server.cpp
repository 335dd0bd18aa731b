#include "braid/serve/server.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "braid/net/client.h"
#include "braid/net/key_store.h"
#include "braid/net/server.h"
#include "chat/chat_service.h"
#include "durable/durability.h"
#include "memory/memories.h"
#include "memory/text_embedder.h"
#include "realtime/realtime_api.h"
#include "server/chat_api.h"
#include "server/check_config.h"
#include "server/configured_pipeline.h"
#include "server/console_files.h"
#include "server/embeddings_api.h"
#include "server/key_watch.h"
#include "server/live_sessions.h"
#include "server/memory_api.h"
#include "server/metrics_api.h"
#include "server/remembering.h"
#include "server/reports.h"
#include "server/session_events_api.h"
#include "server/sessions_api.h"
#include "server/status_api.h"
#include "server/transcription_api.h"
#include "server/workers.h"
#include "watch/load_model.h"

namespace braid::serve {

namespace {

/// `memories` and `pipeline` may be null.
LiveSessionsOptions sessions_options(const ServerConfig& config, Metrics& metrics, Memories* memories,
                                     ConfiguredPipeline* pipeline, Clock& clock) {
  LiveSessionsOptions options;
  options.max_sessions = static_cast<std::size_t>(config.max_sessions);
  options.max_per_key = static_cast<std::size_t>(config.max_sessions_per_key);
  options.session = config.session;
  options.session.realtime = true;
  options.session.stay_open = true;
  if (memories) options.session.evidence_tokens = config.memory.evidence_tokens;
  options.ingest = config.ingest;
  options.on_new = [&metrics, memories, pipeline, &clock](LiveSession& live, SessionOptions& chosen,
                                                          SessionTime begins_at) {
    live.listen(meter_session(metrics, clock));
    if (memories) remember(*memories, live, chosen, begins_at);
    if (pipeline) pipeline->prepare(live, chosen);
  };
  return options;
}

/// Null where nothing is to be kept.
Result<std::unique_ptr<Durability>> open_durability(const DurabilityOptions& options,
                                                    const engine::EngineInfo& model, Clock& clock) {
  if (options.state_dir.empty()) return nullptr;
  return Durability::open(options, model, clock);
}

/// Null where nothing is to be remembered.
Result<std::unique_ptr<Memories>> open_memories(const MemoryChoice& choice, TextModelSlot& embedder,
                                                Clock& clock) {
  if (choice.dir.empty()) return nullptr;
  auto model = embedder.get();
  if (!model) return tl::unexpected(model.error());
  retrieve::MemoryOptions options;
  options.embedder = std::move(model->turns);
  options.max_bytes = choice.max_bytes_per_key;
  return Memories::open(choice.dir, std::move(options), clock);
}

/// Null where none is configured.
Result<std::unique_ptr<ConfiguredPipeline>> load_configured(const std::string& file, Reports& reports,
                                                            Memories* memories, Clock& clock) {
  if (file.empty()) return nullptr;
  return ConfiguredPipeline::load(file, reports.webhooks(), memories, clock);
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
        std::unique_ptr<sync::SpeechDetectorFactory> detector, std::unique_ptr<RemoteMedia> made_remote,
        std::unique_ptr<Reports> made_reports, std::unique_ptr<Durability> made_durability,
        std::unique_ptr<TextModelSlot> made_embedder, std::unique_ptr<Memories> made_memories,
        std::unique_ptr<ConfiguredPipeline> made_pipeline)
      : config(std::move(server_config)),
        clock(session_clock),
        engine(std::move(loaded)),
        speech(std::move(detector)),
        turns(load_turns(config.vad, engine.info)),
        host(engine, clock, config.host),
        media(engine, host.loop().arbiter(), speech.get(), clock,
              {.input = config.ingest.limits, .isolation = config.ingest.isolation}),
        reports(std::move(made_reports)),
        durability(std::move(made_durability)),
        embedder(std::move(made_embedder)),
        memories(std::move(made_memories)),
        pipeline(std::move(made_pipeline)),
        sessions(host, speech.get(), clock,
                 sessions_options(config, reports->metrics(), memories.get(), pipeline.get(), clock)),
        chats(host, clock, chat_options(config)),
        remote(std::move(made_remote)),
        chat_api(chats, media, *remote, sessions, workers, clock, engine, reports->observers()),
        realtime({sessions, speech.get(), turns.get(), engine, config.ingest, chats, media, durability.get(),
                  reports->observers(), workers, clock, config.auth_timeout}),
        workers(clock, "worker", 2),
        openers(clock, "opener", 8, 32),
        lookups(clock, "lookup", 2, 64),
        liveness(host, clock) {}

  Status listen();
  Status attach_sources();
  void go_on();
  Result<std::shared_ptr<LiveSession>> go_on_with(Resumed resumed);
  bool may_name_sources() const {
    return config.client_sources == "all" ||
           (config.client_sources == "local" && net::is_loopback_address(config.address));
  }
  MetricsNow metrics_now() const;

  const ServerConfig config;
  Clock& clock;
  engine::Engine engine;
  std::unique_ptr<sync::SpeechDetectorFactory> speech;
  std::unique_ptr<sync::TurnModel> turns;  // null: they end by silence
  EngineHost host;
  MediaPrompts media;
  std::unique_ptr<Reports> reports;
  std::unique_ptr<Durability> durability;  // null: sessions end with the process
  std::unique_ptr<TextModelSlot> embedder;
  std::unique_ptr<Memories> memories;            // null: nothing is remembered
  std::unique_ptr<ConfiguredPipeline> pipeline;  // null: there is none
  LiveSessions sessions;
  ChatService chats;
  std::unique_ptr<RemoteMedia> remote;  // tells the one before what it couldn't fetch when it is destroyed
  ChatApi chat_api;
  RealtimeApi realtime;
  Workers workers;  // after those whose work it does, which it only ends when it is destroyed
  Workers openers;
  Workers lookups;
  Liveness liveness;
  std::shared_ptr<net::KeyStore> keys;  // null: no key is needed
  std::unique_ptr<net::Server> net;
  std::atomic<const net::Server*> listening{nullptr};  // `net` for its own threads
  std::optional<KeyWatch> key_watch;                   // where keys are needed
};

MetricsNow Server::State::metrics_now() const {
  MetricsNow now;
  if (const net::Server* server = listening) now.net = server->stats();
  now.running = chats.running();
  now.waiting = chats.waiting();
  now.sessions = sessions.count();
  now.session_bytes = sessions.bytes();
  now.kv_cells = host.cells();
  now.kv_promised = host.promised_cells();
  now.kv_used = host.used_cells();
  if (host.last_step() != SteadyTime{}) now.since_step = clock.now() - host.last_step();
  reports->read(now);
  now.clocks = sessions.clocks();
  now.clock_events = sessions.clock_events();
  now.illegal_transitions = realtime.illegal_transitions();
  if (durability) now.durability = durability->counts();
  if (memories) now.memory = memories->counts();
  const NotesBehind notes = sessions.notes();
  now.notes_waiting = notes.waiting;
  if (notes.since) now.notes_behind = clock.now() - *notes.since;
  return now;
}

Status Server::State::listen() {
  net::Router router;
  router.route("POST", "/v1/chat/completions", [this](net::Request request, net::Exchange exchange) {
    chat_api.handle(std::move(request), std::move(exchange));
  });
  realtime.add_routes(router);
  add_session_routes(router,
                     {sessions, reports->standing(), durability.get(), workers, openers, may_name_sources()});
  add_session_events_route(router, sessions);
  add_transcription_route(
      router, {chats, media, *engine.tokenizer, engine.info.name, reports->observers(), workers, clock});
  add_memory_route(router, {memories.get(), lookups});
  add_embeddings_route(router, {*embedder, lookups, clock});
  add_status_routes(router, engine.info, liveness);
  add_metrics_route(
      router, reports->metrics(), [this] { return metrics_now(); }, config.metrics.open);
  router.static_files(console_files());
  net::ServerOptions options = net_options(config);
  if (!config.keys_file.empty()) {
    auto opened = net::KeyStore::open(config.keys_file, clock);
    if (!opened) return tl::unexpected(opened.error());
    keys = std::move(*opened);
    options.authorise = realtime.with_secrets(keys);
  }
  auto started = net::Server::start(std::move(options), std::move(router));
  if (!started) return tl::unexpected(started.error());
  net = std::move(*started);
  listening = net.get();
  if (keys)
    key_watch.emplace(keys, sessions, durability.get(), clock, [this] {
      net->check_keys([keys = keys](const std::string& key) { return keys->has_line(key); });
    });
  return {};
}

Status Server::State::attach_sources() {
  if (config.sources.empty()) return {};
  auto questions = configured_questions(config);
  if (!questions) return tl::unexpected(questions.error());
  openai::SessionCreate wanted;
  wanted.sources = config.sources;
  if (pipeline) pipeline->expect(true);
  std::shared_ptr<LiveSession> live;
  if (durability)
    live = durability->resume_configured(config.sources, [this](Resumed resumed) {
      return begin_again(sessions, reports->standing(), std::move(resumed));
    });
  if (!live) {
    auto made = sessions.create(wanted, "");
    if (!made) return tl::unexpected(made.error());
    live = std::move(*made);
    if (durability)
      static_cast<void>(durability->keep(live, saved_of(*live, wanted, SessionKind::kConfigured)));
  }
  if (pipeline) pipeline->expect(false);
  reports->standing().add(live, std::move(*questions), true);
  return {};
}

Result<std::shared_ptr<LiveSession>> Server::State::go_on_with(Resumed resumed) {
  if (keys && !keys->has_name(resumed.saved.owner))
    return fail(ErrorCode::kUnsupported,
                fmt::format("the key '{}' of session {} is not in the keys file any more",
                            resumed.saved.owner, resumed.saved.id));
  return begin_again(sessions, reports->standing(), std::move(resumed));
}

void Server::State::go_on() {
  if (!durability || !may_name_sources()) return;
  durability->go_on([this](Resumed resumed) { return go_on_with(std::move(resumed)); },
                    [this](std::function<void()> work) { return openers.post(std::move(work)); });
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() { stop(Milliseconds(0)); }

Status Server::check(const ServerConfig& config, Clock& clock) { return check_config(config, clock); }

Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Clock& clock) {
  if (Status sound = check(config, clock); !sound) return tl::unexpected(sound.error());
  auto engine = load_engine(config.model, {.cells = config.kv_cells,
                                           .max_sequences = config.sequences,
                                           .deterministic = config.host.deterministic});
  if (!engine) return tl::unexpected(engine.error());
  return start(std::move(config), std::move(*engine), clock);
}

Result<std::unique_ptr<Server>> Server::start(ServerConfig config, engine::Engine engine, Clock& clock) {
  if (auto ready = ingest::prepare_isolation(config.ingest.isolation); !ready)
    return tl::unexpected(ready.error());
  auto speech = load_speech(config.vad, engine.info);
  if (!speech) return tl::unexpected(speech.error());
  auto reports = Reports::make(config, clock, engine.info);
  if (!reports) return tl::unexpected(reports.error());
  auto remote = RemoteMedia::make(config.remote_media, clock);
  if (!remote) return tl::unexpected(remote.error());
  auto durability = open_durability(config.durability, engine.info, clock);
  if (!durability) return tl::unexpected(durability.error());
  auto embedder = std::make_unique<TextModelSlot>(config.memory.embedder, clock);
  auto memories = open_memories(config.memory, *embedder, clock);
  if (!memories) return tl::unexpected(memories.error());
  auto pipeline = load_configured(config.pipeline, **reports, memories->get(), clock);
  if (!pipeline) return tl::unexpected(pipeline.error());
  auto state = std::make_unique<State>(std::move(config), clock, std::move(engine), std::move(*speech),
                                       std::move(*remote), std::move(*reports), std::move(*durability),
                                       std::move(embedder), std::move(*memories), std::move(*pipeline));
  state->host.loop().start();
  Status status = state->attach_sources();
  if (status) status = state->listen();
  if (!status) return tl::unexpected(status.error());
  state->go_on();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

const engine::EngineInfo& Server::model() const { return state_->engine.info; }
std::string Server::url() const { return state_->net->url(); }

void Server::stop(Milliseconds grace) {
  state_->sessions.close();
  // Before the clients are ended, and with what was answered until then.
  if (state_->durability) {
    state_->durability->go_on(nullptr, nullptr);
    state_->durability->flush();
  }
  if (state_->net) state_->net->stop(grace);
  if (state_->durability) state_->durability->flush();
}

}  // namespace braid::serve
