#pragma once
// A request's rows in the engine's steps.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/generation.h"
#include "host/step_loop.h"

namespace braid::serve {

/// How an answer to a request ended.
struct ChatEnd {
  FinishReason finish = FinishReason::kStop;
  std::optional<Error> error;
  std::string text;
  int prompt_rows = 0;
  int cached_rows = 0;  ///< of them, in the KV cache before the request came
  int answer_tokens = 0;
  std::optional<SteadyTime> first_token;
  SteadyTime last_token;
  StageTimes stages;  ///< up to last_token
};

/// Called on the engine's thread; must not block.
struct ChatSink {
  std::function<void(ShownText shown)> on_text;
  std::function<void(ChatEnd end)> on_end;  ///< once, last
};

/// Says stop from any thread; acts at the next step.
class ChatCancel {
 public:
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

 private:
  std::atomic<bool> cancelled_ = false;
};

struct ChatWork {
  Prompt prompt;
  GenerationOptions options;
  StageMeter meter;  ///< as far as it has come
  ChatSink sink;
  std::shared_ptr<ChatCancel> cancel;
};

/// Prefills a prompt on a sequence of its own and answers. Holds its promise of cells until it is over.
class ChatRun final : public StepClient {
 public:
  ChatRun(StepLoop& loop, Clock& clock, StepLoop::Promise promise, ChatWork work);

  bool take() override;
  void ready(schedule::Ready& ready) override;
  void step_begins(const schedule::Planned& planned, SteadyTime at) override;
  void step_done(const schedule::Planned& planned, const StepResult& result, SteadyTime at) override;
  void step_failed(const schedule::Planned& planned, const Error& error) override;
  bool over() const override { return over_; }

  /// Cells and sequences that such a run needs.
  static int cells_needed(const Prompt& prompt, int max_tokens) { return prompt.rows() + max_tokens; }

 private:
  Status begin();
  Result<SharedRows> share_prefix(SequenceId sequence);
  void keep_prefix();
  void end_if_finished();
  void refuse(FinishReason finish, Error error);

  StepLoop& loop_;
  Clock& clock_;
  StepLoop::Promise promise_;
  ChatWork work_;
  const int prompt_rows_;
  int cached_rows_ = 0;
  Prompt contents_;  // the prompt, for those who begin like it
  bool begun_ = false;
  bool over_ = false;
  std::optional<Generation> generation_;
};

}  // namespace braid::serve
