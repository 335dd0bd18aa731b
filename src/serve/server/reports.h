#pragma once
// All that a server tells of its own accord: metrics, spans, answers to standing questions.

#include <memory>

#include "braid/engine/engine.h"
#include "braid/net/client.h"
#include "braid/serve/server.h"
#include "server/metrics.h"
#include "server/request_watch.h"
#include "server/standing_questions.h"
#include "server/standing_webhooks.h"
#include "server/tracing.h"

namespace braid::serve {

/// Lives longer than all sessions and requests, and shorter than the engine's host.
class Reports {
 public:
  /// Errors of read_secret() and net::Client.
  static Result<std::unique_ptr<Reports>> make(const ServerConfig& config, Clock& clock,
                                               const engine::EngineInfo& model);

  Metrics& metrics() { return metrics_; }
  Webhooks& webhooks() { return webhooks_; }
  StandingQuestions& standing() { return standing_; }
  Observers observers() { return {&metrics_, &tracing_}; }
  /// Adds what is known here.
  void read(MetricsNow& now) const;

 private:
  struct Clients {
    std::unique_ptr<net::Client> trusted, untrusted;
  };
  Reports(const ServerConfig& config, Clock& clock, const engine::EngineInfo& model, Clients clients,
          std::string secret);

  Metrics metrics_;
  Clients clients_;
  Tracing tracing_;
  Webhooks webhooks_;
  StandingQuestions standing_;
};

/// The configured questions with their secrets. Errors of read_secret().
Result<std::vector<openai::StandingQuestion>> configured_questions(const ServerConfig& config);

}  // namespace braid::serve
