#pragma once
// One engine and its thread, shared by any number of sessions: plan -> step -> commit.

#include <memory>

#include "braid/base/clock.h"
#include "braid/engine/engine.h"

namespace braid::serve {

class StepLoop;

struct HostOptions {
  bool deterministic = false;                   ///< fixed chunks, one session a step, no adaptation to times
  Nanoseconds step_target = Milliseconds(50);   ///< a forward pass is planned to take at most this
  Nanoseconds idle_after = Milliseconds(5000);  ///< a session idle for this long lends its KV cells to others
};

/// Each step carries decode rows of every answer that is being made and perception rows of the others. The
/// engine and the clock outlive the host, the host its sessions. Any thread.
class EngineHost {
 public:
  EngineHost(engine::Engine& engine, Clock& clock, HostOptions options = {});
  /// Blocks until the engine's thread has ended: sessions are over by then.
  ~EngineHost();

  const engine::EngineInfo& info() const;
  /// When a step last ended; none yet: the clock's zero.
  SteadyTime last_step() const;
  /// KV cells that sessions may use together, and those already promised to some.
  int cells() const;
  int promised_cells() const;
  int used_cells() const;  ///< that hold something, kept prompts too; as of the last step or wake-up

  /// For sessions.
  StepLoop& loop() { return *loop_; }

 private:
  std::unique_ptr<StepLoop> loop_;
};

}  // namespace braid::serve
