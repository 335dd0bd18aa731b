#pragma once
// Why a worker is gone, in a sentence.

#include <optional>
#include <string>

#include "braid/base/result.h"
#include "isolate/wire.h"

namespace braid::ingest::isolate {

/// What was asked of the worker, and how far it came.
struct Life {
  std::string target;
  std::int64_t memory_bytes = 0;
  Nanoseconds computing{}, patience{};
  bool opened = false;
  SessionTime last;  ///< of what it sent
};

/// `end`: none if nobody could say. kBadInput: it crashed or did what decoders don't; kLimit: a bound;
/// kResource (retryable): somebody else ended it, or it couldn't be started.
Error obituary(const Life& life, const std::optional<Word>& end);
/// It was ended because it sent what it must not.
Error obituary(const Life& life, const Error& broken_promise);
/// It was ended because it was silent for so long.
Error obituary(const Life& life, Nanoseconds silent);

}  // namespace braid::ingest::isolate
