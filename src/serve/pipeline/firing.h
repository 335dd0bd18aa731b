#pragma once
// One run of a pipeline's stage.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "braid/deliver/events.h"
#include "braid/serve/pipeline.h"
#include "pipeline/held_streams.h"
#include "pipeline/triggers.h"

namespace braid::serve {

/// What triggered it, what is known by then, and what came of it. Owned by one thread at a time.
struct Firing {
  const PipelineStage* stage = nullptr;
  std::size_t index = 0;  ///< of the stage
  std::uint64_t number = 0;
  Happened trigger;      ///< of the first of its chain
  SteadyTime began{};    ///< when that was noticed
  SessionTime from, to;  ///< its window; the same: it has none
  SessionTime due;
  deliver::PipelineEvent event;
  decltype(Gathered::pictures) pictures;  ///< of its window, for a clip
  std::optional<Answer> answer;           ///< to what it asked, once it is there

  bool has_window() const { return from < to; }
};

/// Where the stage's window lies for a trigger at `moment`.
void place(Firing& firing, SessionTime moment);
/// Of the windows [k hop, k hop + length), k >= 0, the start of that whose middle is nearest to `at`.
SessionTime nearest_window(StageWindows windows, SessionTime at);

}  // namespace braid::serve
