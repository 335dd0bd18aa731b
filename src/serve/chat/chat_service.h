#pragma once
// Requests without a session: prompts are made on worker threads, answers on the engine's.

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "braid/serve/engine_host.h"
#include "chat/chat_prompt.h"
#include "chat/chat_run.h"

namespace braid::serve {

struct ChatServiceOptions {
  int workers = 2;               ///< threads that decode, tokenise and wait for the encoder
  std::size_t max_waiting = 64;  ///< requests that are not yet being answered; more: kFull
  int default_max_tokens = 512;  ///< where the client says nothing
};

/// One request and whoever waits for it.
struct ChatJob {
  /// Makes the prompt; on a worker's thread, may block.
  std::function<Result<ChatPrompt>()> make;
  Sampling sampling;
  std::vector<std::string> stops;   ///< beside the template's
  std::optional<int> max_tokens;    ///< none: the service's default, as far as the context goes
  std::optional<int> top_logprobs;  ///< none: no logprobs are wanted
  SteadyTime arrived;
  ChatSink sink;
  /// The prompt has been made and will be answered; before any text, or on_end. Worker thread.
  std::function<void(const ChatPrompt& prompt)> on_begin;
  std::shared_ptr<ChatCancel> cancel = std::make_shared<ChatCancel>();
};

/// Thread-safe. Requests are answered in the order in which their prompts were made, as many at once as the
/// engine has cells for.
class ChatService {
 public:
  ChatService(EngineHost& host, Clock& clock, ChatServiceOptions options = {});
  /// Cancels what is under way; blocks until it has ended.
  ~ChatService();

  /// Never blocks. kFull (retryable): too many wait; the job's callbacks are not called then.
  Status submit(ChatJob job);
  /// The job acts on its cancel soon.
  void wake();
  std::size_t waiting() const;
  std::size_t running() const;

 private:
  /// A job whose prompt is made.
  struct Made {
    ChatJob job;
    ChatPrompt prompt;
    StageMeter meter;
    int max_tokens = 0;
  };

  void work();
  void make(ChatJob job);
  Status check_size(const Made& made) const;
  bool start_next();
  void start(Made made, StepLoop::Promise promise);
  void end(const ChatSink& sink, FinishReason finish, Error error, const StageMeter& meter);

  EngineHost& host_;
  Clock& clock_;
  const ChatServiceOptions options_;
  mutable std::mutex mutex_;
  Signal changed_;
  std::deque<ChatJob> asked_;
  std::deque<Made> made_;
  std::vector<std::weak_ptr<ChatCancel>> under_way_;
  std::size_t making_ = 0;
  std::size_t running_ = 0;
  bool room_may_be_ = true;  // a run has ended since a promise was refused
  bool stopping_ = false;
  std::vector<Thread> workers_;
};

}  // namespace braid::serve
