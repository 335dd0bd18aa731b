#pragma once
// Decoded sound of any kind to blocks of 16 kHz mono, placed by their times.

#include <vector>

#include "braid/base/result.h"
#include "braid/packet/packet.h"
#include "handles.h"

namespace braid::ingest::ffmpeg {

/// Within a stretch of sound whose times agree with its sample count (to 40 ms, as muxers round) samples are
/// counted; where they don't, a new stretch begins at the time given: a hole is a jump, an overlap is cut.
/// Sound before session time 0 is cut. One stream's, one thread.
class SoundConverter {
 public:
  static constexpr int kRate = 16000;  // Hz

  /// `follows`: times that wander are followed, by a millisecond a frame; else sound is placed by counting
  /// until it is off by more than 40 ms.
  explicit SoundConverter(std::size_t block_samples, bool follows = false)
      : block_samples_(block_samples), follows_(follows) {}

  /// Errors: kBadInput, kUnsupported; the sound of this frame is lost then, nothing else.
  Status push(const AVFrame& frame, SessionTime start);
  /// Where sound pushed next would go if nothing is missing.
  SessionTime expected() const;
  /// New stretches are cut where they begin before this.
  void nothing_before(SessionTime at) { free_from_ = at; }
  /// No more sound follows without a gap; what is left comes out.
  void finish();
  /// Nothing earlier is to come of what was pushed; the end of time if nothing is.
  SessionTime held_from() const;
  /// The next block that is complete. False: none.
  bool pop(AudioBlock& block);

 private:
  struct Format {
    int sample_format = -1;
    int rate = 0;
    int channels = 0;
    std::uint64_t mask = 0;
    bool operator==(const Format&) const = default;
  };
  Status open(const AVFrame& frame, const Format& format);
  void begin_stretch(SessionTime start);
  void convert(const std::uint8_t* const* samples, int count);
  void keep(const float* samples, std::size_t count);
  void cut_block();
  SessionTime output_end() const;

  std::size_t block_samples_;
  bool follows_;
  SwrPtr resampler_;
  Format format_;
  SessionTime anchor_{};          // of the stretch's first sample
  std::int64_t samples_in_ = 0;   // since the anchor, at format_.rate
  std::int64_t samples_out_ = 0;  // since the anchor, at kRate, cut ones too
  std::int64_t skip_ = 0;         // output samples to cut, before session time 0 or of an overlap
  SessionTime free_from_ = kSessionStart;
  SessionTime block_start_{};
  std::vector<float> block_;
  std::vector<float> scratch_;
  std::vector<AudioBlock> ready_;  // those from next_ready_ on
  std::size_t next_ready_ = 0;
};

}  // namespace braid::ingest::ffmpeg
