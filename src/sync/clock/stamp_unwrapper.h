#pragma once
// A sender's counter as time that goes on.

#include <cstdint>
#include <optional>

namespace braid::sync {

/// A stamp as source time. `laps`: how often the counter had run over.
struct Unwrapped {
  std::int64_t ns = 0;
  std::int64_t laps = 0;
};

/// Ticks of num / den seconds, running over at 2^bits (0: never). Keeps no state, so a wrong stamp spoils
/// nothing.
class StampUnwrapper {
 public:
  /// num of 1 to 2^32, den of 1 to 2^40, bits of 0 to 62; else nanoseconds that never run over.
  StampUnwrapper(std::int64_t num, std::int64_t den, int bits);

  /// `expected`: about what the source's time is now; the lap that comes nearest is taken. None: `stamp` lies
  /// beyond ± 73 years.
  std::optional<Unwrapped> unwrap(std::int64_t stamp, std::optional<std::int64_t> expected) const;

 private:
  std::int64_t num_ = 1, den_ = 1'000'000'000;
  std::int64_t modulus_ = 0;  // 0: never
};

}  // namespace braid::sync
