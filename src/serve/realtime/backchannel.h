#pragma once
// "Uh-huh", or does somebody want to say something?

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "braid/base/time.h"
#include "braid/sync/turn_model.h"

namespace braid::serve {

/// Speech while an answer is being delivered. An interruption is what lasts for half a second, is far louder
/// than the loud parts of the speaker's turns, or breaks off where the turn model is sure that more comes.
/// What is over before that, with a quarter of a second of silence, is a backchannel. One thread.
class Backchannel {
 public:
  enum class Verdict : std::uint8_t { kOpen, kInterruption, kBackchannel };

  /// `model` may be null.
  explicit Backchannel(sync::TurnModel* model) : model_(model) {}

  /// Of a turn's frames of speech: how loud they are.
  void hear_turn(std::span<const float> frame);
  /// Speech over an answer began, `frames` frames of 32 ms ago.
  void begin(int frames);
  /// The next frame. `speech`: it may be. `sound`: all of it, for the model, which may block.
  Verdict judge(std::span<const float> frame, bool speech,
                const std::function<std::span<const float>()>& sound);

 private:
  sync::TurnModel* model_;
  std::optional<double> usual_;  // level of turns' loud frames, root mean square
  double peak_ = 0;              // level of this speech's loudest frame
  int frames_ = 0, last_ = 0;    // since it began; of them, up to the last one with speech
};

}  // namespace braid::serve
