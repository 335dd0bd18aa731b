#pragma once
// Senders' clocks on the session's timeline.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "braid/base/time.h"

namespace braid::serve {

/// A sender's offset is the least difference between arrival and stamp of its last 64 stamps: the one that
/// was delayed least (the windowed minimum; Fober, Orlarey, Letz, Real Time Clock Skew Estimation over
/// Network Delays, 2005). One thread.
class SenderClocks {
 public:
  static constexpr std::size_t kSenders = 16;  ///< of further ones, arrivals count

  /// Session time of `stamp_us` on the sender's clock, received at `received`; never later than that.
  SessionTime to_session(const std::string& sender, std::int64_t stamp_us, SessionTime received);

 private:
  static constexpr std::size_t kWindow = 64;
  struct Differences {
    std::array<std::int64_t, kWindow> us{};
    std::size_t count = 0;  // ever
  };
  std::map<std::string, Differences> senders_;
};

}  // namespace braid::serve
