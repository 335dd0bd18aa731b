#include "braid/sync/speech_detector.h"

namespace braid::sync {

Result<std::unique_ptr<SpeechDetectorFactory>> make_silero_detector(const std::string&) {
  return fail(ErrorCode::kUnsupported,
              "this build has no OpenVINO, so it can't run Silero VAD; build with -DBRAID_LLAMA=ON");
}

}  // namespace braid::sync
