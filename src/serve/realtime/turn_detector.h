#pragma once
// The input buffer, and where somebody speaks in it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "braid/openai/realtime_config.h"
#include "braid/sync/speech_detector.h"

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

/// A turn starts when speech has lasted for some frames and stops after silence. Depends on the sound alone,
/// not on how it was cut into pieces. One thread.
class TurnDetector {
 public:
  struct Change {
    bool started;     ///< else stopped
    std::int64_t at;  ///< sample: of the start with its prefix, or of the silence's end
  };

  /// `detector` may be null: then nobody ever speaks.
  explicit TurnDetector(std::unique_ptr<sync::SpeechDetector> detector) : detector_(std::move(detector)) {}

  /// None: nothing is judged. What went before is forgotten if it is switched on or off.
  void configure(const std::optional<openai::TurnDetection>& turns, const SoundBuffer& buffer);
  /// Forgets a turn that goes on: the buffer was committed or cleared.
  void forget(const SoundBuffer& buffer);
  /// The next change within what was appended; none: more sound is needed.
  std::optional<Change> next(const SoundBuffer& buffer);

  bool on() const { return turns_.has_value() && detector_ != nullptr; }
  bool speaking() const { return speaking_; }
  Nanoseconds silence() const { return turns_ ? turns_->silence : Nanoseconds{}; }
  /// End of the last frame with speech; while speaking.
  std::int64_t last_voice() const { return last_voice_; }
  /// What lies before isn't needed, unless somebody commits it.
  std::int64_t needed_from(const SoundBuffer& buffer) const;

 private:
  std::optional<Change> judge(std::span<const float> frame, const SoundBuffer& buffer);

  std::unique_ptr<sync::SpeechDetector> detector_;
  std::optional<openai::TurnDetection> turns_;
  std::int64_t judged_ = 0;  // samples up to which frames were judged
  int voiced_ = 0;           // frames of speech in a row, while not speaking
  bool speaking_ = false;
  std::int64_t last_voice_ = 0;
};

/// Of 16 kHz.
constexpr std::int64_t to_samples(Nanoseconds span) { return span.count() / 62'500; }
constexpr Nanoseconds to_span(std::int64_t samples) { return Nanoseconds(samples * 62'500); }

}  // namespace braid::serve
