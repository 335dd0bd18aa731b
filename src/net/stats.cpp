#include "braid/net/stats.h"

namespace braid::net {

const char* to_string(DropReason reason) {
  switch (reason) {
    case DropReason::kSlowClient:
      return "slow_client";
    case DropReason::kTimeout:
      return "timeout";
    case DropReason::kTooLarge:
      return "too_large";
    case DropReason::kMalformed:
      return "malformed";
    case DropReason::kTooManyConnections:
      return "too_many_connections";
    case DropReason::kGone:
      return "gone";
    case DropReason::kAborted:
      return "aborted";
    case DropReason::kKeyRemoved:
      return "key_removed";
  }
  return "unknown";
}

}  // namespace braid::net
