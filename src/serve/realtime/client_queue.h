#pragma once
// What a client sent, on its way to the thread of its source.

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "braid/base/clock.h"
#include "braid/base/result.h"
#include "braid/openai/realtime_conversation.h"

namespace braid::serve {

namespace client {
struct Sound {
  std::string bytes;  ///< whole samples
  openai::SoundFormat format;
};
struct Commit {
  std::string item;
};
struct Clear {};
/// Past the input buffer.
struct WholeSound {
  std::string item, bytes;
  openai::SoundFormat format;
};
struct Line {
  std::string text;  ///< one line
};
struct Picture {
  std::string bytes;  ///< a file
  std::optional<std::int64_t> captured_us;
  std::string source;
  std::string event;
};
struct Reading {
  openai::event::AppendReading reading;
};
struct Turns {
  std::optional<openai::TurnDetection> turns;
};
struct Ask {
  openai::RealtimeAsk ask;
};
}  // namespace client

struct ClientInput {
  std::variant<client::Sound, client::Commit, client::Clear, client::WholeSound, client::Line,
               client::Picture, client::Reading, client::Turns, client::Ask>
      body;
  SteadyTime received{};  ///< set by the queue

  std::size_t bytes() const;  ///< that it holds, about
};

struct ClientQueueLimits {
  std::size_t inputs = 4096;
  std::size_t bytes = 24U << 20;
};

/// Bounded. Thread-safe; one taker.
class ClientQueue {
 public:
  enum class Took { kInput, kTimeout, kClosed };

  explicit ClientQueue(Clock& clock, ClientQueueLimits limits = {})
      : clock_(clock), limits_(limits), changed_(clock) {}

  /// Never blocks. kFull (retryable): what waits already is as much as may be; kCancelled: closed.
  Status post(ClientInput input);
  /// Blocks until there is one, `until` passes or it is closed; what waits then is gone.
  Took take(ClientInput& input, std::optional<SteadyTime> until);
  void close();

 private:
  Clock& clock_;
  const ClientQueueLimits limits_;
  std::mutex mutex_;  // guards what follows
  Signal changed_;
  std::deque<ClientInput> inputs_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace braid::serve
