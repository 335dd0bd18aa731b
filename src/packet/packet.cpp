#include "braid/packet/packet.h"

namespace braid {

const char* to_string(Modality modality) {
  switch (modality) {
    case Modality::kVision:
      return "vision";
    case Modality::kAudio:
      return "audio";
    case Modality::kText:
      return "text";
    case Modality::kReading:
      return "reading";
  }
  return "text";
}

}  // namespace braid
