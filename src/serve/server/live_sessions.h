#pragma once
// All sessions that live in the server.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "server/live_session.h"

namespace braid::serve {

struct LiveSessionsOptions {
  std::size_t max_sessions = 64;
  std::size_t max_per_key = 16;
  SessionOptions session;  ///< of each; realtime and stay_open
  ingest::IngestOptions ingest;
  std::function<void(LiveSession&)> on_new = {};  ///< before it starts
};

/// A session that was there before.
struct SessionRebirth {
  std::string id;
  std::int64_t created = 0;  ///< Unix time, seconds
  SessionImage image;
  std::vector<openai::UnansweredQuestion> left = {};  ///< for LiveSession::recall()
  std::uint64_t perceived = 0, kept = 0;              ///< packets
};

/// Thread-safe.
class LiveSessions {
 public:
  LiveSessions(EngineHost& host, sync::SpeechDetectorFactory* speech, Clock& clock,
               LiveSessionsOptions options);
  ~LiveSessions();

  /// Opens the sources: blocks for as long as that takes. Errors of parse_source_spec, open_source and
  /// Session; kFull: as many as may be, or the one that is to come back is there. Of that one only live
  /// sources are opened: the others were seen.
  Result<std::shared_ptr<LiveSession>> create(const openai::SessionCreate& wanted, const std::string& owner,
                                              std::optional<SessionRebirth> again = std::nullopt);
  /// One whose packets are pushed by a client: `sources` are ours.
  Result<std::shared_ptr<LiveSession>> create(std::vector<std::unique_ptr<ingest::Source>> sources,
                                              const SessionOptions& options, const std::string& owner,
                                              std::optional<SessionRebirth> again = std::nullopt);
  /// Null: there is none, or it is another key's.
  std::shared_ptr<LiveSession> find(const std::string& id, const std::string& owner) const;
  std::vector<std::shared_ptr<LiveSession>> list(const std::string& owner) const;
  /// False: there is none. Blocks until it has ended.
  bool end(const std::string& id, const std::string& owner);
  /// From here on none is made, and what is being opened is given up: kCancelled.
  void close() { *closing_ = true; }
  std::size_t count() const;
  std::uint64_t bytes() const;  ///< that all hold outside the KV cache

  const SessionOptions& session_options() const { return options_.session; }

 private:
  Status admit(const std::string& owner, const std::optional<SessionRebirth>& again) const;
  std::shared_ptr<LiveSession> make(const std::string& owner, const std::optional<SessionRebirth>& again);
  Result<std::shared_ptr<LiveSession>> add(std::vector<std::unique_ptr<ingest::Source>> sources,
                                           const SessionOptions& options, std::shared_ptr<LiveSession> live,
                                           std::optional<SessionRebirth> again);

  EngineHost& host_;
  sync::SpeechDetectorFactory* speech_;
  Clock& clock_;
  const LiveSessionsOptions options_;
  const std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<LiveSession>> sessions_;
};

}  // namespace braid::serve
