#pragma once
// The engine's thread: plan -> step -> commit.

#include <deque>
#include <memory>
#include <vector>

#include "braid/engine/device_arbiter.h"
#include "braid/flow/lanes.h"
#include "braid/serve/session.h"
#include "session/answers.h"
#include "session/encode_loop.h"
#include "session/pace.h"
#include "session/perception.h"
#include "session/tally.h"

namespace braid::serve {

/// Chunks and questions come in one order and are taken in it: a question forks the timeline when all before
/// it is in the cache, and only then what follows is taken. Perception goes on beside open answers.
class EngineLoop {
 public:
  EngineLoop(const SessionOptions& options, engine::Engine& engine, engine::DeviceArbiter& arbiter,
             Clock& clock, Pace& pace, Tally& tally, const SourceBook& sources, flow::Lanes<EngineInput> in,
             flow::Sender<deliver::Event> out);

  /// The thread's body: until the lane of chunks has ended and all answers are done.
  void run();

 private:
  static constexpr std::size_t kChunks = 0, kControl = 1;  // lanes

  void take_control();
  bool take_chunks();
  bool take(EngineInput& input);
  bool take_question(Question& question);
  std::optional<Error> why_not(const Question& question);
  void seen(encode::Encoded& encoded);
  void report(const Damage& damage);
  void emit(deliver::Event event);
  bool step();
  void failed(const Error& error);
  bool idle() const;

  const SessionOptions& options_;
  engine::Engine& engine_;
  engine::DeviceArbiter& arbiter_;
  Clock& clock_;
  Pace& pace_;
  Tally& tally_;
  const SourceBook& sources_;
  flow::Lanes<EngineInput> in_;
  flow::Sender<deliver::Event> out_;
  kv::Ledger ledger_;
  Perception perception_;
  Answers answers_;
  schedule::Planner planner_;
  schedule::Ready ready_;
  schedule::Planned planned_;
  std::optional<EngineInput> head_;   // taken from the lane, can't be taken in yet
  std::deque<QuestionId> cancelled_;  // asked to stop before they began
  bool cancel_all_ = false;
  bool broken_ = false;  // the engine failed: nothing more is perceived
};

/// Longest question, template included, in tokens.
inline constexpr int kMaxQuestionTokens = 512;

/// Cells and sequences that a session needs at most: the window twice while it turns over, and open answers.
int cells_needed(const SessionOptions& options, int max_answer_tokens);
int sequences_needed(const SessionOptions& options);

}  // namespace braid::serve
