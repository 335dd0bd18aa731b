#pragma once
// GET /v1/realtime and POST /v1/realtime/client_secrets.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "braid/net/key_store.h"
#include "braid/net/options.h"
#include "braid/net/router.h"
#include "realtime/client_secrets.h"
#include "realtime/connection.h"
#include "server/workers.h"

namespace braid::serve {

struct RealtimeApiParts {
  LiveSessions& sessions;
  sync::SpeechDetectorFactory* speech;  ///< null: nobody is heard
  sync::TurnModel* turns;               ///< null: turns end by silence
  const engine::Engine& engine;
  ingest::IngestOptions ingest;
  ChatService& chats;
  MediaPrompts& media;
  Durability* durability;  ///< null: sessions end with the process
  Observers observers;
  Workers& workers;
  Clock& clock;
  Nanoseconds auth_timeout = Milliseconds(8500);  ///< for key, room and session to be looked at
};

/// Thread-safe. Outlives the router and every connection.
class RealtimeApi {
 public:
  explicit RealtimeApi(const RealtimeApiParts& parts);
  /// Waits until the sessions of all connections have ended.
  ~RealtimeApi();

  void add_routes(net::Router& router);
  /// The rule of `keys` that takes client secrets too, for /v1/realtime alone and as long as their key is
  /// there.
  net::Authorise with_secrets(std::shared_ptr<net::KeyStore> keys);
  /// Events in states that don't know them.
  std::uint64_t illegal_transitions() const { return illegal_; }

 private:
  /// A client that has asked and has no answer yet.
  struct Asking {
    net::Request request;
    SteadyTime until;
    std::shared_ptr<Lifecycle> line;
    net::Upgrade upgrade;  // whoever leads the line out of AUTH_PENDING answers
  };
  void ask(net::Request request, net::Upgrade upgrade);
  void connect(Asking& asking);
  static void refuse(Asking& asking, LineEvent why, const net::HttpError& error);
  void refuse_late();
  void make_secret(const net::Request& request, net::Exchange exchange);
  void watch();
  void end_session(const std::shared_ptr<LiveSession>& session, bool may_resume);
  using Opened = Result<std::shared_ptr<RealtimeConnection>>;
  /// A new session's, or that of the one that the request names.
  Opened open(const net::Request& request, const SecretGrant& grant);
  Opened resume(const openai::SessionResume& wanted, const RealtimeClient& client);
  /// What `open` gives; where there is no room, once more when those sessions that are ending have ended.
  Opened with_patience(const std::function<Opened()>& open);

  const RealtimeApiParts parts_;
  RealtimeParts connection_parts_;
  ClientSecrets secrets_;
  std::atomic<std::uint64_t> illegal_{0};
  std::mutex mutex_;  // guards what follows
  Signal changed_;
  std::deque<std::shared_ptr<Asking>> asking_;  // by their time
  bool stopping_ = false;
  Thread watcher_;
};

}  // namespace braid::serve
