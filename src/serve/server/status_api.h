#pragma once
// Whether the server is well, and what it serves.

#include <atomic>
#include <mutex>

#include "braid/net/router.h"
#include "braid/serve/engine_host.h"

namespace braid::serve {

/// Wakes the engine's thread now and then and sees whether it looked. Thread-safe.
class Liveness {
 public:
  Liveness(EngineHost& host, Clock& clock);
  ~Liveness();
  /// The engine's thread went round its loop lately.
  bool well() const;

 private:
  void run();

  EngineHost& host_;
  Clock& clock_;
  std::mutex mutex_;
  Signal changed_;
  bool stopping_ = false;
  Thread thread_;
};

/// Adds /health, /ready and /v1/models. All outlive the router.
void add_status_routes(net::Router& router, const engine::EngineInfo& model, const Liveness& liveness);

}  // namespace braid::serve
