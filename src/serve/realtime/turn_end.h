#pragma once
// Silence, after speech: has the turn ended?

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "braid/openai/realtime_config.h"
#include "braid/sync/turn_model.h"

namespace braid::serve {

/// server_vad: after `silence`. semantic_vad: the turn model is asked after 192 ms of silence, after 288, and
/// then each 192 ms. Where it is sure, the turn is over at once; the longer the silence, the less sure it
/// must be. Where it is sure of the contrary, after 800 ms; in between, or without a model, after a quarter
/// more than the longest of the speaker's last eight pauses, 200 to 800 ms; a pause that wasn't made yet
/// counts as 320 ms. Eagerness shifts what counts as sure; high waits for 500 ms at most, low for 1,600. One
/// thread.
class TurnEnd {
 public:
  /// The turn so far, [n] samples of 16 kHz.
  using Turn = std::function<std::span<const float>()>;

  /// `model` may be null.
  explicit TurnEnd(sync::TurnModel* model) : model_(model) { pauses_.fill(kUnheard); }

  void configure(const openai::TurnDetection& turns);
  /// Speech begins. `since`: the end of the turn before; none: there was none.
  void begin(std::optional<Nanoseconds> since);
  /// Speech goes on after a silence.
  void go_on(Nanoseconds silence);
  /// Asked at each frame of silence, which has lasted for so long. May block, as the model does.
  bool over(Nanoseconds silence, const Turn& turn);
  /// The longest that over() waits.
  Nanoseconds longest() const;

 private:
  struct Rule {
    float sure;    // at least: the turn is over
    float unsure;  // less: it isn't
    Nanoseconds longest;
  };
  static constexpr Milliseconds kUnheard{320};  // a pause that nobody has made yet

  Rule rule() const;
  bool semantic() const { return turns_.kind == openai::TurnDetection::Kind::kSemanticVad; }
  void note(Nanoseconds pause);

  sync::TurnModel* model_;
  openai::TurnDetection turns_;
  std::optional<float> finished_;  // what the model said last of this silence
  Nanoseconds next_ask_{};         // at which silence
  std::array<Nanoseconds, 8> pauses_{};
  std::size_t paused_ = 0;  // pauses heard
};

}  // namespace braid::serve
