#include "braid/packet/question.h"

namespace braid {

const char* to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kCancelled:
      return "cancelled";
    case FinishReason::kError:
      return "error";
    case FinishReason::kShed:
      return "shed";
  }
  return "error";
}

}  // namespace braid
