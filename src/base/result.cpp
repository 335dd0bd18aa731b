#include "braid/base/result.h"

namespace braid {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kBadInput:
      return "bad_input";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kFull:
      return "full";
    case ErrorCode::kLate:
      return "late";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kResource:
      return "resource";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace braid
