#pragma once
// The encode stage's thread: timed packets in, chunks out.

#include "braid/encode/chunk_maker.h"
#include "braid/flow/lanes.h"
#include "braid/sync/synchronizer.h"
#include "host/engine_input.h"

namespace braid::serve {

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
