#pragma once
// Sound at another rate, brought to 16 kHz.

#include <cstdint>
#include <span>
#include <vector>

namespace braid::sync {

/// Linear interpolation from block to block of one run; what comes out doesn't depend on how the run is cut.
/// Ingest resamples with filters, so this only serves senders that don't.
class LinearResampler {
 public:
  /// Starts a run at `rate` Hz, 1 or more.
  void restart(int rate);
  int rate() const { return rate_; }
  /// Appends what `samples` complete to `out`.
  void push(std::span<const float> samples, std::vector<float>& out);

 private:
  int rate_ = 0;
  std::int64_t seen_ = 0;  // input samples before the block
  std::int64_t made_ = 0;  // output samples; number k lies at k * rate / 16,000 of the input
  float last_ = 0.0F;
};

}  // namespace braid::sync
