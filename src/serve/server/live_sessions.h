#pragma once
// All sessions that live in the server.

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "braid/ingest/open.h"
#include "server/live_session.h"
#include "server/session_places.h"

namespace braid::serve {

struct LiveSessionsOptions {
  std::size_t max_sessions = 64;
  std::size_t max_per_key = 16;
  SessionOptions session;  ///< of each; realtime and stay_open
  ingest::IngestOptions ingest;
  /// Before it starts: may choose for it. `begins_at`: its time then, if it was there before.
  std::function<void(LiveSession&, SessionOptions&, SessionTime begins_at)> on_new = {};
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
  /// Waits until those have ended that nobody uses.
  ~LiveSessions();

  /// Opens the sources: blocks for as long as that takes. Errors of parse_source_spec, open_source and
  /// Session; kFull: as many as may be, or the one that is to come back is there. Of that one only live
  /// sources are opened: the others were seen.
  Result<std::shared_ptr<LiveSession>> create(const openai::SessionCreate& wanted, const std::string& owner,
                                              std::optional<SessionRebirth> again = std::nullopt);
  /// One whose packets are pushed by a client: `sources` are ours. `instead_of`: it takes that one's place,
  /// who is ended next; null: none.
  Result<std::shared_ptr<LiveSession>> create(std::vector<std::unique_ptr<ingest::Source>> sources,
                                              const SessionOptions& options, const std::string& owner,
                                              std::optional<SessionRebirth> again = std::nullopt,
                                              const LiveSession* instead_of = nullptr);
  /// Null: there is none, or it is another key's. Those of the configuration file are everybody's to look at
  /// and to ask.
  std::shared_ptr<LiveSession> find(const std::string& id, const std::string& owner) const;
  std::vector<std::shared_ptr<LiveSession>> list(const std::string& owner) const;
  /// Names of the keys that have any.
  std::set<std::string> owners() const;
  /// At a client's wish; whoever serves the session is told. False: there is none. Never blocks: it ends
  /// when nobody uses it any more, and counts against the limits until then.
  bool end(const std::string& id, const std::string& owner);
  /// By whoever serves it. `after`: as that of SessionPlaces::ending().
  void end(const std::shared_ptr<LiveSession>& live, std::function<void()> after = nullptr);
  /// From here on none is made, and what is being opened is given up: kCancelled.
  void close() { *closing_ = true; }
  const SessionPlaces& places() const { return *places_; }
  /// Blocks until none is ending or `until` has passed.
  void wait_for_ending(SteadyTime until) { places_->wait_for_ending(until); }
  std::size_t count() const;    ///< without those that are ending
  std::uint64_t bytes() const;  ///< that all hold outside the KV cache
  NotesBehind notes() const;    ///< of all that live
  /// Of those that live, by session id.
  std::map<std::string, std::vector<ClockState>> clocks() const;
  /// What happened to stamps, of sessions that ended too, by ClockEvent.
  std::array<std::uint64_t, sync::kClockEvents> clock_events() const;

  const SessionOptions& session_options() const { return options_.session; }

 private:
  Result<std::shared_ptr<LiveSession>> make(const std::string& owner,
                                            const std::optional<SessionRebirth>& again,
                                            const LiveSession* instead_of);
  Result<std::shared_ptr<LiveSession>> add(std::vector<std::unique_ptr<ingest::Source>> sources,
                                           SessionOptions options, std::shared_ptr<LiveSession> live,
                                           std::optional<SessionRebirth> again);

  EngineHost& host_;
  sync::SpeechDetectorFactory* speech_;
  Clock& clock_;
  const LiveSessionsOptions options_;
  const std::shared_ptr<std::atomic<bool>> closing_ = std::make_shared<std::atomic<bool>>(false);
  const std::shared_ptr<SessionPlaces> places_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<LiveSession>> sessions_;
  std::array<std::uint64_t, sync::kClockEvents> ended_clock_events_{};
};

}  // namespace braid::serve
