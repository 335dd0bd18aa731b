#pragma once
// One source's clock on the session's timeline: when was a packet captured, and how sure is that?

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "braid/base/time.h"

namespace braid::sync {

/// What happened to a source's stamps. Each is counted; none ends anything.
enum class ClockEvent : std::uint8_t {
  kStep,              ///< the clock was set, by less than a minute; its rate is kept
  kRestart,           ///< the stamps began anew, or leapt by more; a new clock and path are learnt
  kPause,             ///< nothing came for a while
  kWrap,              ///< the stamp's counter ran over
  kBackwards,         ///< a stamp far behind the newest, alone: not believed
  kReordered,         ///< a stamp a little behind the newest: its packet was overtaken
  kDuplicate,         ///< a stamp that came before
  kOutlier,           ///< a stamp ahead of what can be, or out of all range, alone: not believed
  kArrivalBackwards,  ///< an arrival before the last one, taken for that one
  kReferenceRefused,  ///< a reference or an exchange that contradicts what arrived
};
inline constexpr std::size_t kClockEvents = 10;
const char* to_string(ClockEvent event);  ///< "step", "restart", ...

struct ClockOptions {
  /// A stamp counts ticks of tick_num / tick_den seconds: 1 to 2^32 and 1 to 2^40, else nanoseconds.
  std::int64_t tick_num = 1;
  std::int64_t tick_den = 1'000'000'000;
  int wrap_bits = 0;  ///< the counter runs over at 2^wrap_bits: 33 in MPEG-TS, 32 in RTP; 0: never
  /// How long the quickest packet may have been under way, as long as no reference or exchange tells. One-way
  /// stamps can't: this part of the error bound is an assumption.
  Nanoseconds unknown_path = Milliseconds(20);
  Nanoseconds pause = Milliseconds(2000);           ///< a silence longer than this is a pause
  Nanoseconds reorder_window = Milliseconds(1000);  ///< a packet may be overtaken by this much
};

/// When a packet was captured.
struct Captured {
  SessionTime at;
  Nanoseconds error_bound{};  ///< |at - truth| is at most this
  bool believed = true;       ///< false: the stamp contradicts the model; `at` is the last good time
};

/// clock.ping: asked at t1, received at t2, answered at t3, received at t4 (Mills and others, RFC 5905,
/// section 8). t1 and t4 on the source's clock as stamps, the others in session time.
struct ClockExchange {
  std::int64_t t1 = 0;
  SessionTime t2, t3;
  std::int64_t t4 = 0;
};

struct ClockReport {
  Nanoseconds offset{};       ///< session time less source time, at the newest stamp
  double skew_ppm = 0;        ///< the source's clock gains this much; 0 until known
  bool skew_known = false;    ///< ten seconds of one clock have been seen
  Nanoseconds error_bound{};  ///< of the newest packet
  /// Delay over the least delay, of the last minute.
  Nanoseconds jitter_mean{}, jitter_deviation{}, jitter_peak_to_peak{};
  std::uint64_t packets = 0;
  std::uint64_t resets = 0;  ///< steps, restarts and pauses after which the offset was learnt anew
  std::array<std::uint64_t, kClockEvents> events{};

  std::uint64_t count(ClockEvent event) const { return events[static_cast<std::size_t>(event)]; }
};

/// Learns a source's clock from when its stamped packets arrive: for ten seconds from the least delay of the
/// last two, then from the lower convex hull of the delays of the last minute (Zhang, Liu, Xia, Clock
/// Synchronization Algorithms for Network Measurements, 2002; Fober, Orlarey, Letz, Real Time Clock Skew
/// Estimation over Network Delays, 2005). References and exchanges tell how long the quickest packet was
/// under way. Mapped times never go back: a packet is never mapped before one that came earlier with a stamp
/// no later; corrections are slewed, by 5 % of the time that passes and 50 % in the first ten seconds. Never
/// later than the arrival. A step back by less than the time between two packets looks like delay, and is
/// followed within a minute.
///
/// One thread. Never blocks, never throws, allocates nothing after construction; takes any values.
class SourceClock {
 public:
  explicit SourceClock(ClockOptions options);
  ~SourceClock();
  SourceClock(SourceClock&&) noexcept;
  SourceClock& operator=(SourceClock&&) noexcept;

  /// A packet with `stamp` came at `arrival`.
  Captured observe(std::int64_t stamp, SessionTime arrival);
  /// The line to the sender was made anew: stamps may begin anywhere, and all that was known is forgotten,
  /// but times still never go back.
  void restart();
  /// `stamp` was taken at `at`, give or take `error`: a sender report, a producer's reference time or a
  /// container's wall clock, where that wall clock's place on the session's timeline is known.
  void reference(std::int64_t stamp, SessionTime at, Nanoseconds error);
  /// Of the last eight, the one with the least delay counts.
  void exchange(const ClockExchange& exchange);
  /// When something else with this stamp was captured, as far as is known now. Behind the newest packet it
  /// agrees with what packets were mapped to; beyond, it is a forecast.
  Captured map(std::int64_t stamp) const;

  ClockReport report() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid::sync
