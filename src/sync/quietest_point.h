#pragma once
// Where to cut speech that goes on too long.

#include <cstdint>
#include <limits>

#include "sound_run.h"

namespace braid::sync {

/// Follows a run and remembers the middle of its quietest 20 ms (least energy, the earliest of equals) within
/// a range.
class QuietestPoint {
 public:
  /// Looks at samples `from` to `to` from now on.
  void restart(std::int64_t from, std::int64_t to);
  /// Takes in what the run has within the range. Call before it drops samples of the range.
  void follow(const SoundRun& run);
  /// The best index so far; `to` while too little was seen.
  std::int64_t index() const { return best_; }
  /// No later find can lie before this.
  std::int64_t earliest() const { return found() ? best_ : from_; }

 private:
  bool found() const { return least_ < std::numeric_limits<double>::infinity(); }

  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
  std::int64_t next_ = 0;  // start of the next stretch to measure
  std::int64_t best_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace braid::sync
