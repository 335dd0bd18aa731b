#pragma once
// Expected failures as values. Exceptions are for programmer errors alone.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace braid {

/// What kind of failure this is; clients branch on it, `to_string` gives its wire name.
enum class ErrorCode {
  kUsage,        ///< the caller's options or arguments are wrong
  kNotFound,     ///< a file, device or address isn't there
  kBadInput,     ///< media, text or a log that can't be read as what it claims to be
  kUnsupported,  ///< understood, but this build or model can't do it
  kMismatch,     ///< two things that must fit each other don't (model and mmproj, say)
  kLimit,        ///< a stated bound would be passed
  kFull,         ///< a queue, pool or KV cache has no room now
  kLate,         ///< a deadline passed
  kCancelled,    ///< the asker went away or said stop
  kResource,     ///< memory, disk or a device is missing
  kInternal,     ///< a promise of ours didn't hold; please report
};

const char* to_string(ErrorCode code);

/// Message: what came, what was expected, what to do. `retryable`: the same call may pass later.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  bool retryable = false;
};

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, bool retryable = false) {
  return tl::unexpected<Error>(Error{code, std::move(message), retryable});
}

}  // namespace braid
