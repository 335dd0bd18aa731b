#pragma once
// The session's timeline in the KV cache: what is being prefilled on it, and its successor.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "braid/encode/chunk_maker.h"
#include "braid/engine/engine.h"
#include "braid/kv/ledger.h"
#include "braid/kv/timeline.h"
#include "braid/schedule/planner.h"
#include "host/step_loop.h"
#include "session/tally.h"

namespace braid::serve {

/// Joins kv's arithmetic to the engine: opens sequences, turns entries into prefill jobs, swaps timelines.
/// Engine thread.
class Perception {
 public:
  /// `on_seen` is called when a chunk's rows are all in the cache.
  Perception(kv::WindowOptions window, StepLoop& loop, Clock& clock, Tally& tally,
             std::function<void(encode::Encoded&)> on_seen);

  /// Opens the sequence and queues what the timeline holds. Until then, and after sleep(), what is offered
  /// stands in the timeline alone, outside the cache.
  Status open();
  bool awake() const { return sequence_.valid(); }
  /// Gives its sequences' cells back. For one that is settled, or has been offered nothing since it was
  /// opened.
  void sleep();
  /// Nothing is under way or due.
  bool settled() const;

  /// Before anything was offered.
  Status restore(std::vector<kv::Kept> kept, std::uint64_t evicted) {
    return timeline_.restore(std::move(kept), evicted);
  }

  /// False: no room until the successor takes over; offer it again. The chunk's trace enters kPrefillQueue by
  /// then.
  bool offer(encode::Encoded& encoded);
  /// A question and its answer become turns, as soon as there is room.
  void join(Prompt turns, SessionTime at);

  /// Everything offered is in the cache.
  bool caught_up() const { return jobs_.empty(); }
  /// Chunks and turns that are not yet.
  std::size_t waiting() const { return jobs_.size(); }

  /// Adds what may run to the planner's input.
  /// `awaited`: since when a question waits for it.
  void ready(schedule::Ready& ready, std::optional<SteadyTime> awaited);
  /// A step is about to run / has run rows of these jobs.
  void step_begins(const schedule::Planned& planned, SteadyTime at);
  void step_done(const schedule::Planned& planned, SteadyTime at);
  bool has_rows_in(const schedule::Planned& planned) const;
  /// The engine failed: what is waiting is passed on as not kept.
  void give_up();
  /// Starts and finishes turn-overs as due. True when a successor took over.
  bool turn_over_if_due();

  /// A new sequence that shares what an answer may see.
  Result<SequenceId> fork(const Question& question);
  const kv::Timeline& timeline() const { return timeline_; }
  /// Questions and answers stand in the timeline, and speak of what may have left it.
  bool has_turns() const;
  WindowInfo window(const Question& question) const {
    return timeline_.window(question.asked_at, timeline_.end(), as_of(question));
  }
  TokenRun question_lead(const Question& question) const {
    return timeline_.question_lead(question.asked_at, timeline_.end(), as_of(question));
  }
  /// Stages of the chunk that was in the cache last.
  const StageTrace& last_trace() const { return last_trace_; }

 private:
  /// The moment whose view it gets. Who asks now gets all there is: clocks differ by a little.
  SessionTime as_of(const Question& question) const {
    return question.now || !question.at || !can_hide_ranges_ ? SessionTime::max() : question.asked_at;
  }
  struct Job {
    schedule::PrefillJob prefill;
    std::optional<encode::Encoded> chunk;  // none: opening or turns
  };

  struct Turns {
    Prompt prompt;
    SessionTime at;
  };

  bool is_mine(const schedule::PrefillJob* job) const;
  std::optional<Error> too_large(const Prompt& prompt) const;
  bool has_cells(int rows) const { return ledger_.used() + rows + slack_ <= ledger_.capacity(); }
  void join_waiting();
  Result<bool> place(encode::Encoded& encoded);
  void pass_on(encode::Encoded& encoded);
  void add_job(Position start, Prompt prompt, std::optional<encode::Encoded> chunk,
               RowKind kind = RowKind::kPerception);
  void pass_on_done(SteadyTime at);

  bool successor_is_due() const;
  void seen(Job& job, SteadyTime at);
  void seen(encode::Encoded& encoded, SteadyTime at);
  void swap(SteadyTime at);
  Status reserve(SequenceId sequence, Position begin, const Prompt& prompt);
  void rebuild(const Prompt& prompt);
  void give_up_turn_over();

  kv::Timeline timeline_;
  kv::WindowOptions window_;
  const bool can_hide_ranges_;
  const int max_step_rows_;
  const int slack_;  // rows that an entry may take beside its own: separator and next turn
  engine::Decoder& decoder_;
  kv::Ledger& ledger_;
  Clock& clock_;
  Tally& tally_;
  std::function<void(encode::Encoded&)> on_seen_;

  SequenceId sequence_;
  std::deque<Job> jobs_;
  std::deque<Turns> waiting_turns_;

  SequenceId successor_;
  Position successor_end_ = 0;
  SteadyTime successor_since_{};
  std::deque<schedule::PrefillJob> rebuilds_;

  int room_wanted_ = 0;  // rows of an offer that was turned down
  StageTrace last_trace_;
};

}  // namespace braid::serve
