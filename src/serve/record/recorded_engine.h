#pragma once
// The engine of a recording: says what the model said, computes nothing.

#include <memory>
#include <optional>
#include <string>

#include "braid/engine/engine.h"
#include "braid/sync/speech_detector.h"
#include "record/recording.h"
#include "record/replay_clock.h"

namespace braid::serve {

/// What a replay and its engine tell each other. One thread.
struct ReplayedStep {
  std::optional<Stepped> expected;        ///< the next; none: no step is due
  std::optional<std::string> difference;  ///< the first thing that was asked and isn't in the recording
  void differs(std::string what) {
    if (!difference) difference = std::move(what);
  }
};

/// All outlive it.
engine::Engine make_recorded_engine(const Recording& recording, ReplayClock& clock, ReplayedStep& step);
/// A model's, whose steps take as long as in the recording.
engine::Engine time_engine(engine::Engine engine, ReplayClock& clock, ReplayedStep& step);
/// Null: nothing was listened to.
std::unique_ptr<sync::SpeechDetectorFactory> make_recorded_speech(const Recording& recording);

}  // namespace braid::serve
