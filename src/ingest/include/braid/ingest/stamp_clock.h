#pragma once
// A live sender's clock, as a source sees it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "braid/base/time.h"

namespace braid::ingest {

/// Says when a live source's packets were captured. Whoever joins the stages makes one for each source; used
/// on the source's thread.
class StampClock {
 public:
  struct Captured {
    SessionTime at;
    Nanoseconds error_bound{};  ///< |at - truth| is at most this
    bool believed = true;       ///< false: the stamp contradicts the clock; `at` is the last good time
  };
  virtual ~StampClock() = default;
  /// A packet stamped `stamp`, ns on the sender's clock, came at `arrival`.
  virtual Captured observe(std::int64_t stamp, SessionTime arrival) = 0;
  /// The line to the sender was made anew; stamps may begin anywhere. Times still don't go back.
  virtual void restart() = 0;
  /// `stamp` was taken at `at`, give or take `error`: a sender's report says so.
  virtual void reference(std::int64_t stamp, SessionTime at, Nanoseconds error) = 0;
};

/// Null: there are too many, arrivals count.
using MakeStampClock = std::function<std::unique_ptr<StampClock>(const std::string& source)>;

}  // namespace braid::ingest
