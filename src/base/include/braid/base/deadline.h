#pragma once
// Deadlines and reasons to stop are handed down as values, never global.

#include <optional>

#include "braid/base/time.h"

namespace braid {

/// When an answer must have been delivered. Default: never.
struct Deadline {
  std::optional<SteadyTime> at;

  bool passed(SteadyTime now) const { return at && now > *at; }
};

/// How an answer fared against its deadline. Wire names: met, late, shed, none.
enum class Verdict { kNone, kMet, kLate, kShed };
const char* to_string(Verdict verdict);

/// Why something was stopped before its end.
enum class CancelReason { kClient, kBargeIn, kShutdown, kDeadline };
const char* to_string(CancelReason reason);

}  // namespace braid
