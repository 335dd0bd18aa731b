#pragma once
// Braid as a service: a model, live sessions, and the protocols that ask them.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "braid/net/options.h"
#include "braid/serve/engine_host.h"
#include "braid/serve/session.h"
#include "braid/serve/watch.h"

namespace braid::serve {

/// Where a secret is read from when the server starts; at most one is set. The secret itself is never part of
/// the configuration.
struct SecretChoice {
  std::string file;  ///< its content without the line's end
  std::string env;   ///< a variable's name
};

/// A question asked again and again of the session "main"; either `every` or `on_event` is set.
struct QuestionChoice {
  std::string ask;
  std::optional<Nanoseconds> every;  ///< 100 ms or more
  std::string on_event;              ///< utterance, scene_change, line, reading
  std::string webhook;               ///< http or https; empty: answers are only counted
  SecretChoice secret;               ///< signs what is posted; empty: the server's
  std::optional<Nanoseconds> deadline;
  std::optional<int> max_tokens;
};

struct MetricsOptions {
  bool open = false;        ///< /metrics needs no key
  bool vllm_names = false;  ///< what means the same is also given under vLLM's own names
};

struct TracingOptions {
  std::string otlp_url;          ///< the collector's address, "http://localhost:4318"; empty: off
  double sample_ratio = 1.0;     ///< of requests whose sender has not decided; 0..1
  std::size_t max_spans = 4096;  ///< that wait to be sent; beyond, requests' spans are dropped and counted
  Milliseconds flush_interval{2000};
};

/// Answers to standing questions on their way to whoever wants them.
struct WebhookOptions {
  SecretChoice secret;         ///< signs what is posted where a question has no secret of its own
  bool allow_private = false;  ///< clients may name addresses that aren't public
  int max_attempts = 6;        ///< posts of one answer; then it is counted as dead
  Milliseconds backoff{1000};  ///< before the second attempt; doubled each time, half to all of it
  Milliseconds max_backoff{60'000};
  Milliseconds timeout{10'000};   ///< of one attempt
  std::size_t max_waiting = 256;  ///< answers that wait; beyond, the new one is dead
};

/// Media that chat requests name by URL.
struct RemoteMediaOptions {
  std::vector<std::string> hosts;      ///< that may be asked, as example.com, *.example.com; empty: none
  bool allow_private = false;          ///< they may have addresses that aren't public
  std::size_t max_bytes = 20U << 20U;  ///< of one request's media together
  Milliseconds timeout{10'000};        ///< the same
};

/// Sessions that outlive the process: docs/durability.md.
struct DurabilityOptions {
  std::string state_dir;                 ///< where they are kept; empty: nowhere
  Milliseconds interval{2000};           ///< between two snapshots of a session: what may be lost of it
  std::chrono::seconds resume_for{600};  ///< that a session waits for its client
  std::uint64_t max_bytes = 4ULL << 30;  ///< of all sessions
  std::uint64_t max_bytes_per_key = 1ULL << 30;
};

/// What sessions perceive and answer, kept and looked up: docs/memory.md.
struct MemoryChoice {
  std::string dir;       ///< its folder; empty: nothing is remembered
  std::string embedder;  ///< GGUF of the model that makes vectors of texts; empty: the default one; "off"
  std::uint64_t max_bytes_per_key = 4ULL << 30;  ///< beyond, a memory forgets its oldest records
  int evidence_tokens = 2048;  ///< SessionOptions::evidence_tokens of sessions that remember
};

struct ServerConfig {
  ModelChoice model;
  HostOptions host;
  SessionOptions session;  ///< of each live session
  ingest::IngestOptions ingest;
  std::string vad = "silero";  ///< speech detector: silero, energy, off
  int kv_cells = 16384;        ///< shared by all sessions and requests
  int sequences = 64;          ///< timelines, their successors and open answers
  int max_sessions = 64;
  int max_sessions_per_key = 16;
  int max_waiting_requests = 64;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  ///< 0: any free one
  std::string tls_cert, tls_key;
  std::string keys_file;  ///< hashed API keys; empty: none needed, which only a loopback address allows
  std::vector<std::string> cors_origins;
  net::Limits limits;
  Milliseconds auth_timeout{8500};   ///< a Realtime client that has no session by then is refused
  Milliseconds stop_grace{10'000};   ///< that open answers may take at the end
  std::vector<std::string> sources;  ///< attached to one session at start, whose id is "main"
  std::vector<QuestionChoice> questions;
  std::string pipeline;  ///< file of stages for that session, docs/pipelines.md; empty: none
  MetricsOptions metrics;
  TracingOptions tracing;
  WebhookOptions webhooks;
  RemoteMediaOptions remote_media;
  /// local, all, none: whether clients may name sources, which can be any file, device or address. local: if
  /// the server listens on a loopback address.
  std::string client_sources = "local";
  DurabilityOptions durability;
  MemoryChoice memory;
};

/// Threads: the engine's, the network's, workers', and each session's own.
class Server {
 public:
  /// What start() would refuse before it loads the model. Nothing is left behind.
  static Status check(const ServerConfig& config, Clock& clock);
  /// Checks, loads the model and listens; blocks for seconds. Errors of load_llama, net::Server and Session.
  static Result<std::unique_ptr<Server>> start(ServerConfig config, Clock& clock);
  /// The same with an engine that has been made, whatever `config.model` names.
  static Result<std::unique_ptr<Server>> start(ServerConfig config, engine::Engine engine, Clock& clock);
  ~Server();

  const engine::EngineInfo& model() const;
  /// "http://127.0.0.1:8080"
  std::string url() const;
  /// Accepts no more, lets answers end for up to `grace`, ends the sessions.
  void stop(Milliseconds grace);

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace braid::serve
