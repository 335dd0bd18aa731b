#pragma once
// What the engine did while an answer was made, as JSON objects beside the session's events.

#include <string>
#include <vector>

#include "braid/engine/scripted_engine.h"
#include "braid/packet/question.h"

namespace braid::serve {

/// `work` {id, before_first {...}, in_all {...}}: encode calls, steps and rows by kind that began from the
/// moment it was asked to its first token, and to its last.
std::string work_of(const Answer& answer, const std::vector<engine::ScriptedCall>& calls);

/// `engine` {steps, passes, forks, rows {...}, encoded_frames, encoded_utterances, used_cells, peak_cells}.
std::string totals_of(const engine::ScriptedEngine& made);

}  // namespace braid::serve
