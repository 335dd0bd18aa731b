#pragma once
// Braid as a service: a model, live sessions, and the protocols that ask them.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "braid/serve/engine_host.h"
#include "braid/serve/session.h"
#include "braid/serve/watch.h"

namespace braid::serve {

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
  std::vector<std::string> sources;  ///< attached to one session at start, whose id is "main"
};

/// Threads: the engine's, the network's, workers', and each session's own.
class Server {
 public:
  /// Loads the model and listens; blocks for seconds. Errors of load_llama, net::Server and Session.
  static Result<std::unique_ptr<Server>> start(ServerConfig config, Clock& clock);
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
