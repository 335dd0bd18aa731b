#pragma once
// "Uh-huh", or does somebody want to say something?

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "braid/base/time.h"
#include "braid/sync/turn_model.h"

namespace braid::serve {

/// Speech while an answer is being delivered. An interruption is what lasts for 480 ms (576 ms if it is
/// fading), is far louder than the speaker's turns have been, or breaks off where the turn model is sure that
/// more comes. What is over before that, with 160 ms of silence, is a backchannel. One thread.
class Backchannel {
 public:
  enum class Verdict : std::uint8_t { kOpen, kInterruption, kBackchannel };

  /// `model` may be null.
  explicit Backchannel(sync::TurnModel* model) : model_(model) {}

  /// Of a turn's frames of speech: how loud they are.
  void hear_turn(std::span<const float> frame);
  /// Speech over an answer begins.
  void begin();
  /// The next frame. `length`: from the first frame of speech to the last one; `silence`: since then.
  /// `sound`: all of it, for the model, which may block.
  Verdict judge(std::span<const float> frame, Nanoseconds length, Nanoseconds silence,
                const std::function<std::span<const float>()>& sound);

 private:
  sync::TurnModel* model_;
  std::optional<double> usual_;  // level of turns, root mean square
  double peak_ = 0, now_ = 0;    // levels of this speech: its loudest frame, its last
};

}  // namespace braid::serve
