#pragma once
// A recorded session, done again.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "braid/engine/engine.h"
#include "record/recording.h"

namespace braid::serve {

struct ReplayReport {
  std::uint64_t windows = 0;              ///< items that the sync stage let out, compared
  std::uint64_t decisions = 0;            ///< of the filters, compared
  std::uint64_t dropped = 0;              ///< frames that a full lane had dropped
  std::uint64_t steps = 0;                ///< of the schedule, compared
  std::uint64_t tokens = 0;               ///< sampled, compared
  std::uint64_t answers = 0;              ///< compared
  std::optional<std::string> difference;  ///< the first
};

struct ReplayOptions {
  /// A model's, in place of what the recording says of it; null: none.
  engine::Engine* model = nullptr;
  /// Called before what happened at `at`; null: nobody waits.
  std::function<void(SteadyTime at)> pace;
};

/// Drives sync, encode, kv and the session's work with what is recorded: what arrived, which item each stage
/// took when, how long steps took, what was sampled. What comes of it is compared, and the first difference
/// ends it. One thread, the caller's. kBadInput: the recording holds what can't be.
Result<ReplayReport> replay(Recording& recording, const ReplayOptions& options = {});

}  // namespace braid::serve
