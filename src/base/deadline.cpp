#include "braid/base/deadline.h"

namespace braid {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return "none";
    case Verdict::kMet:
      return "met";
    case Verdict::kLate:
      return "late";
    case Verdict::kShed:
      return "shed";
  }
  return "none";
}

const char* to_string(CancelReason reason) {
  switch (reason) {
    case CancelReason::kClient:
      return "client";
    case CancelReason::kBargeIn:
      return "barge_in";
    case CancelReason::kShutdown:
      return "shutdown";
    case CancelReason::kDeadline:
      return "deadline";
  }
  return "client";
}

}  // namespace braid
