#pragma once
// What goes to the engine's thread.

#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "braid/encode/chunk_maker.h"
#include "braid/packet/packet.h"
#include "braid/packet/question.h"
#include "braid/serve/session_image.h"
#include "braid/sync/synchronizer.h"
#include "host/step_client.h"

namespace braid::serve {

struct CancelAnswer {
  QuestionId id;
  CancelReason reason;
  std::optional<std::size_t> delivered;  ///< bytes of it; none: all that was made
};
struct CancelEverything {
  CancelReason reason;
};

/// It was told to end before its sources did: few notes are still made.
struct EndNotes {};

/// `taken` gets the session's image, on the engine's thread.
struct TakeImage {
  std::function<void(SessionImage image)> taken;
};

/// A session's: the first four in order of session time, the next four from control. A client stands alone,
/// on the host's own lane.
using EngineInput = std::variant<encode::Encoded, Question, Damage, sync::StreamsEnd, CancelAnswer,
                                 CancelEverything, EndNotes, TakeImage, std::unique_ptr<StepClient>>;

}  // namespace braid::serve
