#pragma once
// What a command's end says to the shell.

#include "braid/base/result.h"

namespace braid::serve {

enum ExitCode : int {
  kDone = 0,
  kCheckFailed = 1,
  kUsageError = 2,
  kBadInputError = 3,
  kResourceError = 4,
  kSignalled = 128,  // and the signal's number, as shells say it: 130 for Ctrl-C, 143 for SIGTERM
};

constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return kUsageError;
    case ErrorCode::kNotFound:
    case ErrorCode::kBadInput:
    case ErrorCode::kUnsupported:
    case ErrorCode::kMismatch:
    case ErrorCode::kLimit:
      return kBadInputError;
    case ErrorCode::kFull:
    case ErrorCode::kResource:
      return kResourceError;
    case ErrorCode::kLate:
    case ErrorCode::kCancelled:
    case ErrorCode::kInternal:
      return kCheckFailed;
  }
  return kCheckFailed;
}

}  // namespace braid::serve
