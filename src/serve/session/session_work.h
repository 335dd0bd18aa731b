#pragma once
// What a session does on the engine's thread.

#include <deque>
#include <memory>
#include <vector>

#include "braid/serve/session.h"
#include "host/step_loop.h"
#include "session/answers.h"
#include "session/due_questions.h"
#include "session/notes.h"
#include "session/pace.h"
#include "session/perception.h"
#include "session/tally.h"
#include "session/work_log.h"

namespace braid::serve {

/// What of the session its work uses; outlives it.
struct SessionParts {
  const SessionOptions& options;
  Clock& clock;
  Pace& pace;
  Tally& tally;
  const SourceBook& sources;
  DueQuestions& due;
};

/// Chunks and questions come in one order and are taken in it: a question forks the timeline when all before
/// it is in the cache, and only then what follows is taken. Perception goes on beside open answers.
///
/// With nothing under way its cells may be promised to others. Then it sleeps: what it perceives is kept with
/// its embeddings, and the next chunk or question for which cells can be had rebuilds the window in the
/// cache.
class SessionWork final : public StepClient {
 public:
  /// `chunks` and `control` are lanes of the loop. `out` ends when this is destroyed, and nothing of the
  /// parts is touched after that.
  SessionWork(SessionParts parts, StepLoop& loop, StepLoop::Promise promise, std::size_t chunks,
              std::size_t control, flow::Sender<deliver::Event> out);
  ~SessionWork() override;

  /// Before it is added to the loop. Errors as kv::Timeline::restore().
  Status restore(std::vector<kv::Kept> kept, std::uint64_t evicted) {
    Status restored = perception_.restore(std::move(kept), evicted);
    tally_.holds(perception_.timeline().bytes());
    return restored;
  }

  void give_way() override;
  bool take() override;
  void ready(schedule::Ready& ready) override;
  void ready_idle(schedule::Ready& ready) override;
  void step_begins(const schedule::Planned& planned, SteadyTime at) override;
  void step_done(const schedule::Planned& planned, const StepResult& result, SteadyTime at) override;
  void step_failed(const schedule::Planned& planned, const Error& error) override;
  bool over() const override;

 private:
  enum class Cells : std::uint8_t { kReady, kNextRound, kNone };

  void open();
  Cells cells();
  void rest();
  void take_control();
  SessionImage image() const;
  bool take_chunks();
  bool take(EngineInput& input);
  bool take_question(Question& question);
  bool has_room(const Question& question);
  std::optional<Error> why_not(const Question& question);
  void seen(encode::Encoded& encoded);
  void report(const Damage& damage);
  void streams_ended(SessionTime at);
  /// A question for a time that no source got to is asked before it.
  void tell_if_early(const Question& question);
  void emit(deliver::Event event);
  void tell_timeline();

  flow::Sender<deliver::Event> out_;  // destroyed last: then the session may be gone
  const SessionOptions& options_;
  const engine::EngineInfo& model_;
  Clock& clock_;
  Pace& pace_;
  Tally& tally_;
  const SourceBook& sources_;
  DueQuestions& due_;
  std::optional<SteadyTime> awaited_;  // since when a question waits, as of this round
  StepLoop& loop_;
  const std::size_t chunks_, control_;  // lanes
  const std::size_t ahead_;             // chunks that may wait for the steps at once
  WorkLog log_;
  Perception perception_;
  Answers answers_;
  std::optional<Notes> notes_;
  std::optional<EngineInput> head_;   // taken from the lane, can't be taken in yet
  std::deque<QuestionId> cancelled_;  // asked to stop before they began
  StepLoop::Promise promise_;
  StepLoop::Promise
      for_head_;        // for the question that waits, where another answer has the session's own room
  bool idle_ = true;    // others may have the cells: until it is given something, at any time
  bool waking_ = true;  // cells are promised, and free when the loop has gone round
  bool cancel_all_ = false;
  bool broken_ = false;  // the engine failed: nothing more is perceived
};

/// Longest question, template included, in tokens.
inline constexpr int kMaxQuestionTokens = 512;
/// A question, and what a memory has on it.
int question_room(const SessionOptions& options);

/// Cells and sequences that a session is promised: for the window twice while it turns over, and one answer.
int cells_needed(const SessionOptions& options);
inline constexpr int kSequencesNeeded = 3;
/// With as many open answers as it may have; the others are promised theirs when they begin.
int cells_at_most(const SessionOptions& options);
int sequences_at_most(const SessionOptions& options);

}  // namespace braid::serve
