#pragma once
// The encode stage's thread: timed packets in, chunks out.

#include <variant>

#include "braid/encode/chunk_maker.h"
#include "braid/flow/lanes.h"
#include "braid/sync/synchronizer.h"

namespace braid::serve {

struct CancelAnswer {
  QuestionId id;
  CancelReason reason;
};
struct CancelEverything {
  CancelReason reason;
};

/// What goes into the engine stage: the first three in order of session time, the others from control.
using EngineInput = std::variant<encode::Encoded, Question, Damage, CancelAnswer, CancelEverything>;

/// Passes questions and damage on between the chunks they stand between.
class EncodeLoop {
 public:
  EncodeLoop(encode::ChunkMaker& maker, Clock& clock, flow::Lanes<sync::Timed> in,
             flow::Sender<EngineInput> out)
      : maker_(maker), clock_(clock), in_(std::move(in)), out_(std::move(out)) {}

  /// The thread's body: until the lane in has ended or the one out is closed.
  void run();

 private:
  EngineInput handle(sync::Timed item);

  encode::ChunkMaker& maker_;
  Clock& clock_;
  flow::Lanes<sync::Timed> in_;
  flow::Sender<EngineInput> out_;
};

}  // namespace braid::serve
