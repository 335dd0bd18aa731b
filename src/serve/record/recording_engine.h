#pragma once
// What a model says, noted as it says it.

#include <memory>

#include "braid/engine/engine.h"
#include "braid/sync/speech_detector.h"
#include "record/recorder.h"

namespace braid::serve {

/// The same engine; what its tokenizer and encoder say is noted. Steps are noted by the session.
engine::Engine record_engine(engine::Engine engine, const std::shared_ptr<Recorder>& recorder);
/// Null stays null.
std::unique_ptr<sync::SpeechDetectorFactory> record_speech(
    std::unique_ptr<sync::SpeechDetectorFactory> speech, const std::shared_ptr<Recorder>& recorder);

}  // namespace braid::serve
