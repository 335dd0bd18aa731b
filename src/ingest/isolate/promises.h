#pragma once
// Whether what a worker sends could have come of an honest one: sizes, times and their order.

#include <array>

#include "isolate/wire.h"

namespace braid::ingest::isolate {

/// One source's. What later stages rest on holds for all that passes. One thread.
class Promises {
 public:
  explicit Promises(const IngestOptions& options);

  /// kBadInput: what was sent and what would have been right; nothing more is to be taken from this worker.
  Status check(const Opened& opened) const;
  Status check(const Error& error) const;
  Status check(const SentFrame& frame);
  Status check(const SentSound& sound);
  Status check(const SentLine& line);
  Status check(const SentBound& bound);
  Status check(const SentDamage& damage) const;
  /// Bytes that the slot of such a frame has at least.
  static std::size_t bytes_of(const SentFrame& frame);
  /// No picture that may come takes more.
  std::size_t most_slot_bytes() const;

 private:
  Status in_order(StreamKind stream, SessionTime at, const char* what);

  int max_side_;
  std::array<SessionTime, kStreamKinds> last_, bounds_;
};

}  // namespace braid::ingest::isolate
