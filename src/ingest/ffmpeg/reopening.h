#pragma once
// Opening again what broke off.

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "input.h"
#include "pacer.h"
#include "streams.h"

namespace braid::ingest::ffmpeg {

/// How long to wait before opening again: kFirst, then twice as long each time up to kLongest; kFirst again
/// after a line that held for longer than the last wait. One thread.
class Backoff {
 public:
  static constexpr Nanoseconds kFirst = Milliseconds(500);
  static constexpr Nanoseconds kLongest = std::chrono::seconds(10);

  /// `held`: how long the line was there before it broke off; 0: it could not be opened.
  Nanoseconds next(Nanoseconds held);

 private:
  Nanoseconds last_{};
};

/// A live address that is opened again, and again, until it answers.
class Reopening {
 public:
  struct Line {
    std::unique_ptr<Input> input;
    Streams streams;
    int attempts = 0;
  };
  /// Told of each failure that is another than the one before. False: stop.
  using Complain = std::function<bool(const Error&)>;

  /// `stopped`: set by any thread, together with the pacer's stop().
  Reopening(SourceSpec spec, IngestOptions options, Clock& clock,
            std::shared_ptr<const std::atomic<bool>> stopped);

  bool wanted() const;
  /// Blocks, with waits between attempts, for at most the source's `reconnect`. Streams of kinds that are not
  /// `announced` are left out. Errors: that of the last attempt, or kCancelled.
  Result<Line> open(Pacer& pacer, const std::array<bool, kStreamKinds>& announced, const Complain& complain);

 private:
  Result<Line> attempt(const std::array<bool, kStreamKinds>& announced) const;

  const SourceSpec spec_;
  IngestOptions options_;
  Clock& clock_;
  SteadyTime since_{};
  Backoff backoff_;
};

}  // namespace braid::ingest::ffmpeg
