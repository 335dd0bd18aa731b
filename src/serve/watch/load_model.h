#pragma once
// Model files to an engine and a speech detector.

#include <memory>
#include <string>

#include "braid/engine/engine.h"
#include "braid/serve/watch.h"
#include "braid/sync/speech_detector.h"
#include "braid/sync/turn_model.h"

namespace braid::serve {

struct EngineSize {
  int cells = 4096;
  int max_sequences = 16;
  bool deterministic = false;
};

/// Blocks for seconds. Errors of load_llama; kNotFound: the default model has not been prepared.
Result<engine::Engine> load_engine(const ModelChoice& choice, const EngineSize& size);

/// `vad`: silero, energy or off. Null where nothing is to be heard.
Result<std::unique_ptr<sync::SpeechDetectorFactory>> load_speech(const std::string& vad,
                                                                 const engine::EngineInfo& model);

/// Null where nothing is heard, or not by a model, or its file is missing, which is logged: turns end by
/// silence then.
std::unique_ptr<sync::TurnModel> load_turns(const std::string& vad, const engine::EngineInfo& model);

}  // namespace braid::serve
