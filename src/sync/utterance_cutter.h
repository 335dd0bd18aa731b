#pragma once
// Cuts speech out of one stream of sound.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "braid/packet/packet.h"
#include "braid/sync/speech_detector.h"
#include "braid/sync/synchronizer.h"
#include "linear_resampler.h"
#include "quietest_point.h"
#include "sound_run.h"

namespace braid::sync {

/// Speech starts at a frame of at least `speech_threshold` and goes on while frames reach
/// `silence_threshold`; after `end_silence` without one it is an utterance. What is about to pass
/// `max_utterance` is split at the quietest point of its last third, and the rest goes on as the next one. A
/// hole ends an utterance and clears the detector. The result depends on samples and stamps, not on how the
/// sound was cut into blocks. Holds at most one utterance.
class UtteranceCutter {
 public:
  UtteranceCutter(const SyncOptions& options, std::unique_ptr<SpeechDetector> detector, SyncCounts& counts);

  /// Appends what the block completes to `out`. A block with a rate or time that can't be is ignored and
  /// counted.
  void push(const AudioBlock& block, std::vector<Utterance>& out);
  /// No sound before `nothing_before` comes any more.
  void promise(SessionTime nothing_before, std::vector<Utterance>& out);
  /// No more sound at all.
  void finish(std::vector<Utterance>& out);

  /// No utterance that is still to come ends before this.
  SessionTime bound() const;
  /// End of the latest sound or promise.
  SessionTime reached() const { return reached_; }

 private:
  struct Speech {
    std::int64_t start;        // of the utterance, pre-roll included
    std::int64_t first_voice;  // start of its first speech frame
    std::int64_t last_voice;   // end of its last
    bool continued;            // the rest of a split
    StageTrace trace;          // of the block with the last speech frame
  };

  void start_run(const AudioBlock& block);
  void end_run(std::vector<Utterance>& out);
  void take_frame(const StageTrace& trace, std::vector<Utterance>& out);
  void open(std::int64_t first_voice, const StageTrace& trace);
  void close(std::vector<Utterance>& out);
  void split(std::vector<Utterance>& out);
  void cut(std::int64_t to, std::vector<Utterance>& out);

  SyncOptions options_;
  std::unique_ptr<SpeechDetector> detector_;
  SyncCounts& counts_;
  SourceId source_;
  SoundRun run_;
  LinearResampler resampler_;
  std::vector<float> resampled_;  // scratch
  std::int64_t judged_ = 0;       // index in run_ up to which frames were judged
  std::int64_t cut_to_ = 0;       // index in run_ where the last utterance ended
  std::optional<Speech> speech_;
  Nanoseconds error_bound_{};  // of the speech, else of the last block
  QuietestPoint quietest_;
  SessionTime heard_ = SessionTime::min();  // bound given for the sound of this run
  SessionTime reached_ = SessionTime::min();
};

}  // namespace braid::sync
