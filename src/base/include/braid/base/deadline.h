#pragma once
// How an answer fared against its deadline, and why something was stopped: values, never global.

namespace braid {

/// How an answer fared against its deadline. Wire names: met, late, shed, none.
enum class Verdict { kNone, kMet, kLate, kShed };
const char* to_string(Verdict verdict);

/// Why something was stopped before its end.
enum class CancelReason { kClient, kBargeIn, kShutdown, kDeadline };
const char* to_string(CancelReason reason);

}  // namespace braid
