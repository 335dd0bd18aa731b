#pragma once
// Live sessions that outlive the process.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "braid/engine/engine.h"
#include "braid/openai/session_api.h"
#include "braid/serve/server.h"
#include "braid/store/state_folder.h"
#include "durable/durability_counts.h"
#include "durable/session_store.h"
#include "server/live_session.h"

namespace braid::serve {

/// How a session is begun again.
struct Resumed {
  SavedSession saved;
  SessionImage image;
  /// False: it was forgotten meanwhile, and whoever begins it must end it again.
  std::function<bool()> is_wanted;
};

/// What a Realtime client's session holds beside its image. Called on the writer's thread, without locks.
class KeptConversation {
 public:
  virtual ~KeptConversation() = default;
  /// Counts what changes saved().
  virtual std::uint64_t changes() = 0;
  /// Empty: the client has gone.
  virtual std::string saved() = 0;
};

/// Takes an image of each live session that changed every so often, on the engine's thread, and writes it on
/// its own. What a process left behind waits for its clients, who show the token they were given.
/// Thread-safe; calls may wait for a snapshot that is being written: not for io threads.
class Durability {
 public:
  /// kUsage, kFull, kResource: of store::StateFolder. What is damaged there is told in the log, a line each.
  static Result<std::unique_ptr<Durability>> open(const DurabilityOptions& options,
                                                  const engine::EngineInfo& model, Clock& clock);
  ~Durability();

  /// From here on the session is kept; `saved`: its id, owner, kind, sources, window, time of birth.
  /// `conversation`: of a kClient; once it is gone nothing more is written. Returns the token with which it
  /// comes back; empty: there is no randomness or no folder, and it isn't kept.
  std::string keep(const std::shared_ptr<LiveSession>& live, SavedSession saved,
                   std::weak_ptr<KeptConversation> conversation = {});

  using Begin = std::function<Result<std::shared_ptr<LiveSession>>(Resumed)>;
  /// Begins the session again by `begin` and goes on keeping it. kNotFound: there is none of that id, owner,
  /// kind and token, or it was forgotten while it was begun; kFull (retryable): it is ending, or being begun
  /// for somebody else. Others: kBadInput,
  /// kUnsupported, kMismatch: it can't come back; those of `begin`. Nothing is lost by an error but its time.
  /// One of kSources that lives is given as it is.
  Result<std::shared_ptr<LiveSession>> resume(const openai::SessionResume& wanted, const std::string& owner,
                                              SessionKind kind, const Begin& begin);
  /// Of a session that was resumed and is a client's: how its conversation is saved from now on.
  void converse(const std::string& id, std::weak_ptr<KeptConversation> conversation);
  /// The same without token, for the server's own session of these sources. None: there is none.
  std::shared_ptr<LiveSession> resume_configured(const std::vector<std::string>& sources, const Begin& begin);

  /// From here on those of kSources that have standing questions go on by themselves, as soon as `begin`
  /// can: it is called on a thread of `post`, every so often until it succeeds or their time is over. Null
  /// ends that: neither is called any more.
  void go_on(Begin begin, std::function<Status(std::function<void()>)> post);
  /// The conversation of a client's session that lives and has this id and token; else null.
  std::shared_ptr<KeptConversation> living(const openai::SessionResume& wanted, const std::string& owner);
  /// Those that wait for their client or are just being begun.
  std::vector<openai::SessionInfo> resumable(const std::string& owner);
  /// Ended for good: its files go; of one that is being begun when that is done (Resumed::is_wanted). False:
  /// none of that owner was kept.
  bool forget(const std::string& id, const std::string& owner);
  /// Its line broke: what it is now and was said by now will be written. From any thread, before the session
  /// is told to stop; doesn't block. The session lives until that is done.
  void write_last(const std::shared_ptr<LiveSession>& live, std::string conversation);
  /// Ended, and may be resumed for a while.
  void leave(const std::string& id);
  /// Writes all sessions once more; blocks until that is done or a second is over.
  void flush();

  DurabilityCounts counts();

 private:
  struct Taken {
    std::string id;
    std::uint64_t changes = 0;  // of the session, at the earliest moment that the image may be of
    SessionImage image;
    SteadyTime at{};
    std::int64_t wall_us = 0;
    std::optional<std::string> conversation;  // of the last one: its client has gone
    std::shared_ptr<LiveSession> live;        // the same
  };
  /// What images are put into on the engine's thread; outlives us there.
  struct Mailbox {
    explicit Mailbox(Clock& clock) : changed(clock) {}
    std::mutex mutex;  // guards what follows
    Signal changed;
    std::deque<Taken> taken;
    std::set<std::string> asked;  // ids of those whose image isn't written yet
    bool stopping = false;
  };
  struct Entry {
    SavedSession saved;                            // without what an image says
    std::shared_ptr<store::Charge> charge;         // its files' bytes
    std::weak_ptr<LiveSession> live;               // while it lives
    std::weak_ptr<KeptConversation> conversation;  // while it lives, of a kClient
    std::unique_ptr<SessionStore> store;           // while it lives
    SteadyTime expires{};                          // while it doesn't
    SteadyTime next_try{};                         // to begin it without its client
    std::string told;                              // why that failed
    bool resuming = false;
    bool forgotten = false;                // while it was being resumed
    bool damaged = false;                  // it can't come back; its files go when it expires
    std::optional<std::uint64_t> changes;  // of the session, as it was written whole
  };
  struct Living {
    std::shared_ptr<LiveSession> session;
    std::shared_ptr<KeptConversation> conversation;
    std::optional<std::uint64_t> written;
  };

  Durability(const DurabilityOptions& options, engine::EngineInfo model, Clock& clock,
             store::StateFolder folder);
  void find();
  void find(const std::string& name);
  void run();
  void ask_for_image(const Living& living);
  void take_image(LiveSession& live, Taken begun);
  void ask_for_images();
  void write(const Taken& taken);
  void write(Entry& entry, const Taken& taken, SavedSession saved);
  Status have_store(Entry& entry);
  void failed(const Error& error);
  void remove_files(const std::string& id);
  void drop_expired();
  void begin_unattended();
  void tell_once(const std::string& id, const Error& error);
  void forget_asked(const std::string& id);
  Result<std::unique_ptr<SessionStore>> make_store(Entry& entry);
  std::shared_ptr<store::Charge> charge(const std::string& owner, std::uint64_t bytes);
  bool is_wanted(const std::string& id);
  Result<std::shared_ptr<LiveSession>> begin(const std::string& id, const Begin& begin);
  Result<Resumed> load(const std::string& id, std::unique_ptr<SessionStore>& store);

  const DurabilityOptions options_;
  const engine::EngineInfo model_;
  Clock& clock_;
  store::Budget budget_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::atomic<std::uint64_t> images_{0}, written_{0}, failed_{0}, left_out_{0}, refused_{0}, resumed_{0};
  std::mutex mutex_;  // guards what follows, and all files
  Signal begun_;      // an entry isn't being resumed any more
  store::StateFolder folder_;
  std::map<std::string, Entry> entries_;                // by id
  std::vector<std::shared_ptr<store::Charge>> others_;  // of later versions' files, which stay
  bool failing_ = false;                                // told in the log
  Begin begin_unattended_;                              // null: nobody comes back by himself
  std::function<Status(std::function<void()>)> post_;
  Thread writer_;
};

}  // namespace braid::serve
