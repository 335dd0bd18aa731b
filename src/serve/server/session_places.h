#pragma once
// How many sessions there may be, and the threads that end them.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "server/live_session.h"

namespace braid::serve {

struct SessionLimits {
  std::size_t max_sessions = 64;
  std::size_t max_per_key = 16;
};

/// A session has its place from before it is made until its threads have ended. Whoever drops its last
/// reference doesn't wait for them: threads of ours do. Thread-safe; nothing blocks but where it says so.
class SessionPlaces : public std::enable_shared_from_this<SessionPlaces> {
 public:
  SessionPlaces(const SessionLimits& limits, Clock& clock);

  /// Not started yet. `instead_of`: the id of one that it replaces, which doesn't count; empty: none.
  /// kFull (retryable): as many as may be, or one of this id hasn't ended.
  Result<std::shared_ptr<LiveSession>> take(const std::string& id, const std::string& owner,
                                            std::int64_t created, const std::string& instead_of);
  /// It is to end as soon as nobody uses it any more; `after`: called when its threads have ended, on one of
  /// ours, while none of its id can begin. Nothing if it has ended. Of several `after` the last counts; an
  /// empty one changes nothing.
  void ending(const std::string& id, std::function<void()> after);
  bool is_ending(const std::string& id) const;
  bool any_ending() const;
  /// Blocks until none is ending or `until` has passed.
  void wait_for_ending(SteadyTime until);
  /// Blocks until those have ended that nobody uses. What ends later does so where it is dropped.
  void close();

 private:
  struct Place {
    std::string owner;
    bool ending = false;
    std::function<void()> after;
  };
  Status admit(const std::string& id, const std::string& owner, const std::string& instead_of) const;
  bool any_ending_locked() const;
  void let_go(std::unique_ptr<LiveSession> session);
  void destroy(std::unique_ptr<LiveSession> session);
  void run();

  const SessionLimits limits_;
  Clock& clock_;
  mutable std::mutex mutex_;  // guards what follows
  Signal changed_;
  std::map<std::string, Place> places_;  // by id
  std::deque<std::unique_ptr<LiveSession>> dropped_;
  bool closed_ = false;
  std::vector<Thread> threads_;
};

}  // namespace braid::serve
