#pragma once
// What happens in a live session, as objects of docs/json.md: the latest are kept, and sent on to who
// watches.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/base/clock.h"
#include "braid/deliver/events.h"
#include "braid/deliver/writer.h"

namespace braid::serve {

struct SessionEventsOptions {
  std::size_t max_bytes = 64U << 10;  ///< of the objects that are kept
  std::size_t max_watchers = 16;
};

/// Called on the session's delivery thread, or within watch(); must not block.
struct Watcher {
  std::function<bool(std::uint64_t id, const std::string& json)> on_object;  ///< false: no more, please
  std::function<void()> on_end;                                              ///< the session has ended
  std::function<bool()> gone;                                                ///< takes nothing any more
};

/// Thread-safe. Deltas are left out and progress isn't kept: what is kept is what was perceived and answered.
class SessionEvents final : public deliver::EventSink {
 public:
  explicit SessionEvents(Clock& clock, SessionEventsOptions options = {});
  /// Watchers are told the end.
  ~SessionEvents() override;

  void on_event(const deliver::Event& event) override;
  std::size_t bytes() const;  ///< of the objects that are kept
  /// Makes the watcher if there is room for one. The kept objects with ids above `after` come at once, then
  /// all that follow; ids count up from 1. kFull (retryable): as many watch as may.
  Status watch(std::uint64_t after, const std::function<Watcher()>& make);

 private:
  struct Object {
    std::uint64_t id;
    std::string json;
  };
  void take(const std::string& json);

  const SessionEventsOptions options_;
  mutable std::mutex mutex_;  // guards what follows
  std::deque<Object> kept_;
  std::size_t bytes_ = 0;
  std::uint64_t last_id_ = 0;
  bool keep_ = true;  // the object being written stays
  std::vector<Watcher> watchers_;
  std::unique_ptr<deliver::Writer> writer_;
};

}  // namespace braid::serve
