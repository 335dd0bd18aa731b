#pragma once
// What has rows in the engine's steps: a session, a request.

#include "braid/base/result.h"
#include "braid/base/time.h"
#include "braid/schedule/planner.h"

namespace braid::serve {

/// All calls on the engine's thread.
class StepClient {
 public:
  virtual ~StepClient() = default;

  /// Frees the cells of a promise that others have taken, before anybody uses them.
  virtual void give_way() {}
  /// Takes in what has come. True: something was, look again before waiting.
  virtual bool take() = 0;
  /// Adds what may run to what others have added.
  virtual void ready(schedule::Ready& ready) = 0;
  /// Where nobody had anything to add, and nobody waits: what may run all the same.
  virtual void ready_idle(schedule::Ready& ready) { static_cast<void>(ready); }
  /// The plan may hold rows of this client's, and of others'.
  virtual void step_begins(const schedule::Planned& planned, SteadyTime at) = 0;
  virtual void step_done(const schedule::Planned& planned, const StepResult& result, SteadyTime at) = 0;
  virtual void step_failed(const schedule::Planned& planned, const Error& error) = 0;
  /// Nothing is left to do, ever.
  virtual bool over() const = 0;
};

}  // namespace braid::serve
