#pragma once
// The encode stage's thread: timed packets in, chunks out.

#include <functional>
#include <optional>
#include <utility>

#include "braid/encode/chunk_maker.h"
#include "braid/flow/lanes.h"
#include "braid/sync/synchronizer.h"
#include "host/engine_input.h"
#include "record/event_log.h"

namespace braid::serve {

/// What becomes of one item: a chunk, or the item itself.
EngineInput encode_item(encode::ChunkMaker& maker, sync::Timed item);

/// Passes questions and damage on between the chunks they stand between.
///
/// The first rung of the ladder under overload: a question that has waited for longer than `patience`, or
/// half of its deadline, waits for a camera's newest frame alone; those before it are passed over as
/// "superseded".
class EncodeLoop {
 public:
  using Recall = std::function<void(Question& question)>;

  /// No patience given: a question waits for all frames. No recall: there is no memory to ask. `log` may be
  /// null.
  EncodeLoop(encode::ChunkMaker& maker, Clock& clock, std::optional<Nanoseconds> patience, Recall recall,
             EventLog* log, flow::Lanes<sync::Timed> in, flow::Sender<EngineInput> out)
      : maker_(maker),
        clock_(clock),
        patience_(patience),
        recall_(std::move(recall)),
        log_(log),
        in_(std::move(in)),
        out_(std::move(out)) {}

  /// The thread's body: until the lane in has ended or the one out is closed.
  void run();

 private:
  EngineInput noted(sync::Timed item);
  EngineInput handle(sync::Timed item);
  EngineInput handle(Frame frame);
  EngineInput handle(Question question);
  bool superseded(const Frame& frame) const;
  bool out_of_patience(const Question& question, SteadyTime now) const;

  encode::ChunkMaker& maker_;
  Clock& clock_;
  const std::optional<Nanoseconds> patience_;
  const Recall recall_;
  EventLog* const log_;
  flow::Lanes<sync::Timed> in_;
  flow::Sender<EngineInput> out_;
  bool passed_over_ = false;  // a frame, since the last question
};

}  // namespace braid::serve
