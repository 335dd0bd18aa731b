#include "realtime/sender_clocks.h"

#include <algorithm>
#include <utility>

namespace braid::serve {

SessionTime SenderClocks::to_session(const std::string& sender, std::int64_t stamp_us, SessionTime received) {
  auto found = senders_.find(sender);
  if (found == senders_.end()) {
    if (senders_.size() >= kSenders) return received;
    found = senders_.emplace(sender, Differences{}).first;
  }
  Differences& seen = found->second;
  seen.us[seen.count++ % kWindow] = to_us(received) - stamp_us;
  const std::int64_t* const end = seen.us.data() + std::min(seen.count, kWindow);
  const std::int64_t at_us = stamp_us + *std::min_element(std::as_const(seen.us).data(), end);
  return std::clamp(SessionTime(Microseconds(at_us)), kSessionStart, received);
}

}  // namespace braid::serve
