#pragma once
// A Realtime client's states, as a table.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace braid::serve {

enum class LineState : std::uint8_t {
  kIdle,         ///< nobody has asked
  kAuthPending,  ///< asked; key, room and session are being looked at, for a bounded time
  kRunning,      ///< events go both ways
  kClosing,      ///< nothing more is taken
};
inline constexpr std::size_t kLineStates = 4;
const char* to_string(LineState state);  ///< "IDLE", "AUTH_PENDING", "RUNNING", "CLOSING"

enum class LineEvent : std::uint8_t {
  kAsk,      ///< a request to connect
  kAccept,   ///< there is a session for it
  kRefuse,   ///< there is none
  kTimeout,  ///< it was pending for too long
  kMessage,  ///< from the client
  kSilence,  ///< no message, ping or pong for the idle limit
  kTaken,    ///< its client came back on another line, which has the session now
  kStop,     ///< the server has no more to say: it stops, or the client errs too much
  kEnd,      ///< the line is gone
};
inline constexpr std::size_t kLineEvents = 9;
const char* to_string(LineEvent event);  ///< "ask", "accept", ...

struct LineStep {
  LineState next;
  bool legal =
      true;  ///< else nothing changes: it is counted, logged, and the client told if it was the client's
};

/// By state, then event. The table is the rule; there is no other.
const std::array<std::array<LineStep, kLineEvents>, kLineStates>& line_table();

/// One client's. Thread-safe.
class Lifecycle {
 public:
  /// `illegal`: a count of what was illegal, of all clients; outlives it.
  explicit Lifecycle(std::atomic<std::uint64_t>& illegal) : illegal_(illegal) {}

  LineState state() const;
  /// False: the event is illegal here; that was counted and logged.
  bool take(LineEvent event);
  /// The same if it is in that state; false: it isn't, and nothing was done. Of several that try one
  /// succeeds.
  bool take_from(LineState from, LineEvent event);

 private:
  bool step(LineEvent event);

  std::atomic<std::uint64_t>& illegal_;
  mutable std::mutex mutex_;  // guards state_
  LineState state_ = LineState::kIdle;
};

}  // namespace braid::serve
