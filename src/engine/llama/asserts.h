#pragma once
// Failed asserts of ggml, libllama and libmtmd as exceptions.

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string>

#include "braid/base/result.h"

namespace braid::engine::llama {

/// What an assert said, with its place.
class AssertFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// While one lives, a failed assert on this thread throws AssertFailed. Elsewhere, ggml's own compute threads
/// among them, it ends the process as before. What llama.cpp was doing is left half done: throw its objects
/// away, or reset them. llama.cpp's C code is compiled for exceptions (tools/setup/llama.sh).
class AssertsThrow {
 public:
  AssertsThrow();
  ~AssertsThrow();
  AssertsThrow(const AssertsThrow&) = delete;
  AssertsThrow& operator=(const AssertsThrow&) = delete;
};

/// What `body` gives; kBadInput naming the files where llama.cpp trips over them, kResource without memory.
template <class T, class Body>
Result<T> without_asserts(const std::string& files, const Body& body) {
  const AssertsThrow guard;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kResource, fmt::format("no memory for '{}'", files));
  } catch (const std::exception& error) {
    return fail(
        ErrorCode::kBadInput,
        fmt::format("'{}' is damaged, or of a kind that this build can't run: {}", files, error.what()));
  }
}

}  // namespace braid::engine::llama
