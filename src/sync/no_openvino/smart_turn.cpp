#include "braid/sync/turn_model.h"

namespace braid::sync {

Result<std::unique_ptr<TurnModel>> make_smart_turn(const std::string&) {
  return fail(ErrorCode::kUnsupported,
              "this build has no OpenVINO, so it can't run Smart Turn; build with -DBRAID_LLAMA=ON");
}

}  // namespace braid::sync
