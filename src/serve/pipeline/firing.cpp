#include "pipeline/firing.h"

#include <algorithm>

namespace braid::serve {

SessionTime nearest_window(StageWindows windows, SessionTime at) {
  const Nanoseconds first_middle = windows.length / 2;
  const Nanoseconds past = at - kSessionStart - first_middle;
  // Half a hop further the next one is nearer.
  const std::int64_t k = std::max<std::int64_t>(0, (past + (windows.hop - Nanoseconds(1)) / 2) / windows.hop);
  return kSessionStart + k * windows.hop;
}

void place(Firing& firing, SessionTime moment) {
  const PipelineStage& stage = *firing.stage;
  if (stage.time_window && stage.trigger_on) {
    firing.from = nearest_window(*stage.time_window, moment + stage.start_offset);
    firing.to = firing.from + stage.time_window->length;
  } else if (stage.duration) {
    firing.from = moment + stage.start_offset;
    firing.to = firing.from + *stage.duration;
  }
  if (stage.take != StageTake::kAll) {
    const Nanoseconds around = stage.take == StageTake::kNearest ? stage.tolerance : Nanoseconds{};
    firing.from = moment + stage.start_offset - around;
    firing.to = moment + stage.start_offset + around + Nanoseconds(1);
  }
  firing.due = std::max(moment + stage.delay, firing.to);
}

}  // namespace braid::serve
