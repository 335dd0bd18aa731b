#pragma once
// GET /v1/realtime and POST /v1/realtime/client_secrets.

#include <deque>
#include <memory>
#include <mutex>

#include "braid/net/options.h"
#include "braid/net/router.h"
#include "realtime/client_secrets.h"
#include "realtime/connection.h"
#include "server/workers.h"

namespace braid::serve {

struct RealtimeApiParts {
  LiveSessions& sessions;
  sync::SpeechDetectorFactory* speech;  ///< null: nobody is heard
  const engine::Engine& engine;
  ingest::IngestOptions ingest;
  ChatService& chats;
  MediaPrompts& media;
  Workers& workers;
  Clock& clock;
};

/// Thread-safe. Outlives the router and every connection.
class RealtimeApi {
 public:
  explicit RealtimeApi(const RealtimeApiParts& parts);
  /// Waits until the sessions of all connections have ended.
  ~RealtimeApi();

  void add_routes(net::Router& router);
  /// A rule that takes client secrets too, for /v1/realtime alone; `rule` decides the rest and may be empty,
  /// then so is what comes back.
  net::Authorise with_secrets(net::Authorise rule);

 private:
  void connect(const net::Request& request, net::Upgrade upgrade);
  void make_secret(const net::Request& request, net::Exchange exchange);
  void end_sessions();
  /// As RealtimeConnection::open(); where there is no room, once more when those that are ending have ended.
  Result<std::shared_ptr<RealtimeConnection>> open(const SecretGrant& grant);

  const RealtimeApiParts parts_;
  RealtimeParts connection_parts_;
  ClientSecrets secrets_;
  std::mutex mutex_;  // guards what follows
  Signal changed_;
  std::deque<std::shared_ptr<LiveSession>> to_end_;
  std::size_t ending_ = 0;  // of to_end_, and the one that is waited for
  bool stopping_ = false;
  Thread ender_;
};

}  // namespace braid::serve
