#pragma once
// Failed asserts of ggml, libllama and libmtmd as exceptions.

#include <stdexcept>
#include <string>
#include <utility>

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

}  // namespace braid::engine::llama
