#pragma once
// Sound of one rate to 16 kHz.

#include <cstdint>
#include <span>
#include <vector>

namespace braid::serve {

/// Polyphase interpolation and decimation by a windowed sinc (Crochiere and Rabiner, Multirate Digital Signal
/// Processing, 1983, chapter 4). What comes out doesn't depend on how the sound was cut into pieces; it is
/// 16 input samples late. One thread.
class Resampler {
 public:
  static constexpr int kOutputRate = 16'000;  // Hz

  explicit Resampler(int rate);  ///< Hz, of what goes in
  int rate() const { return rate_; }
  /// Appends what `samples` complete to `out`.
  void push(std::span<const float> samples, std::vector<float>& out);

 private:
  static constexpr int kTaps = 32;  // input samples that make one output sample

  int rate_;
  int up_, down_;               // output rate = input rate * up / down
  std::vector<float> filter_;   // [up * kTaps], tap by tap all phases
  std::vector<float> history_;  // the last kTaps - 1 samples, then the new ones
  std::int64_t next_ = 0;       // of the next output, in upsampled samples from the first new one
};

}  // namespace braid::serve
