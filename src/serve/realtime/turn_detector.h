#pragma once
// The input buffer, and where somebody speaks in it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/openai/realtime_config.h"
#include "braid/sync/speech_detector.h"
#include "realtime/backchannel.h"
#include "realtime/turn_end.h"

namespace braid::serve {

/// Sound that was appended and isn't committed. Indices count samples of 16 kHz since the session's start,
/// whatever was committed or cleared. One thread.
class SoundBuffer {
 public:
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return begin_ + static_cast<std::int64_t>(samples_.size()); }
  void append(std::span<const float> samples) {
    samples_.insert(samples_.end(), samples.begin(), samples.end());
  }
  /// begin() <= from <= to <= end(). Valid until the next change.
  std::span<const float> view(std::int64_t from, std::int64_t to) const;
  void drop_before(std::int64_t index);

 private:
  std::vector<float> samples_;
  std::int64_t begin_ = 0;
};

/// A turn starts when speech has lasted for some frames and stops where TurnEnd says so. Speech over an
/// answer becomes a turn only if it is more than a backchannel. Depends on the sound alone, not on how it was
/// cut into pieces. One thread.
class TurnDetector {
 public:
  struct Change {
    enum class Kind : std::uint8_t {
      kVoice,        ///< somebody makes a sound that may become a turn
      kQuiet,        ///< it didn't
      kStarted,      ///< a turn
      kStopped,      ///< the turn
      kBackchannel,  ///< what began over an answer was one
    };
    Kind kind;
    std::int64_t at;  ///< sample: of the start with its prefix, or of the end of what was heard
  };

  /// `detector` may be null: then nobody ever speaks. `model` too: then turns end by silence.
  explicit TurnDetector(std::unique_ptr<sync::SpeechDetector> detector, sync::TurnModel* model = nullptr)
      : detector_(std::move(detector)), end_(model), backchannel_(model) {}

  /// None: nothing is judged. What went before is forgotten if it is switched on or off.
  void configure(const std::optional<openai::TurnDetection>& turns, const SoundBuffer& buffer);
  /// Forgets a turn that goes on: the buffer was committed or cleared.
  void forget(const SoundBuffer& buffer);
  /// The next change within what was appended; none: more sound is needed. May block, as the model does.
  std::optional<Change> next(const SoundBuffer& buffer);
  /// Upon kVoice: it is over an answer that it may interrupt.
  void contest() { contested_ = true; }

  bool on() const { return turns_.has_value() && detector_ != nullptr; }
  /// Within a turn.
  bool speaking() const { return state_ == State::kTurn; }
  /// From kVoice until it is known what it is.
  bool noticing() const { return state_ == State::kNoticed || state_ == State::kContested; }
  /// The longest silence within a turn.
  Nanoseconds silence() const { return on() ? end_.longest() : Nanoseconds{}; }
  /// End of the last frame with speech; while speaking.
  std::int64_t last_voice() const { return last_voice_; }
  /// What lies before isn't needed, unless somebody commits it.
  std::int64_t needed_from(const SoundBuffer& buffer) const;

 private:
  enum class State : std::uint8_t { kSilence, kNoticed, kContested, kTurn };

  std::optional<Change> judge(std::span<const float> frame, const SoundBuffer& buffer);
  std::optional<Change> wait(double probability, const SoundBuffer& buffer);
  std::optional<Change> begin(const SoundBuffer& buffer);
  std::optional<Change> contest(std::span<const float> frame, const SoundBuffer& buffer);
  std::optional<Change> follow(const SoundBuffer& buffer);
  Change start(const SoundBuffer& buffer);

  std::unique_ptr<sync::SpeechDetector> detector_;
  TurnEnd end_;
  Backchannel backchannel_;
  std::optional<openai::TurnDetection> turns_;
  std::int64_t judged_ = 0;  // samples up to which frames were judged
  State state_ = State::kSilence;
  bool contested_ = false;  // what is noticed is over an answer
  int voiced_ = 0;          // frames of speech in a row, before a turn
  std::int64_t first_voice_ = 0;
  std::int64_t last_voice_ = 0;
  std::optional<std::int64_t> ended_;  // where speech ended in the turn before
};

/// Of 16 kHz.
constexpr std::int64_t to_samples(Nanoseconds span) { return span.count() / 62'500; }
constexpr Nanoseconds to_span(std::int64_t samples) { return Nanoseconds(samples * 62'500); }

}  // namespace braid::serve
