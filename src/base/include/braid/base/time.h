#pragma once
// Time as types. The three clocks below don't mix: subtracting a SessionTime from a SteadyTime does not
// compile.

#include <chrono>
#include <cstdint>

namespace braid {

using Nanoseconds = std::chrono::nanoseconds;
using Microseconds = std::chrono::microseconds;
using Milliseconds = std::chrono::milliseconds;

namespace detail {
template <class Tag>
struct Epoch {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Nanoseconds;
  using time_point = std::chrono::time_point<Epoch, Nanoseconds>;
  static constexpr bool is_steady = true;
};
struct SessionTag;
struct SourceTag;
struct SteadyTag;
}  // namespace detail

/// A point on the session's timeline; 0 is the session's start. Packets, windows, prompts and answers carry
/// it.
using SessionTime = std::chrono::time_point<detail::Epoch<detail::SessionTag>, Nanoseconds>;

/// A point on a sender's own clock (a container's PTS, a PLC's stamp). Only `sync` maps it to SessionTime.
using SourceTime = std::chrono::time_point<detail::Epoch<detail::SourceTag>, Nanoseconds>;

/// A point on this process's monotonic clock: deadlines, stage stamps, step durations. Under `--fast` it runs
/// slower than session time; live, both run alike.
using SteadyTime = std::chrono::time_point<detail::Epoch<detail::SteadyTag>, Nanoseconds>;

inline constexpr SessionTime kSessionStart{};

constexpr double to_ms(Nanoseconds d) { return static_cast<double>(d.count()) / 1e6; }
constexpr double to_seconds(Nanoseconds d) { return static_cast<double>(d.count()) / 1e9; }
constexpr std::int64_t to_us(SessionTime t) { return t.time_since_epoch().count() / 1000; }
constexpr double to_seconds(SessionTime t) { return to_seconds(t.time_since_epoch()); }

/// Nearest nanosecond to `s` seconds. `s` must be finite and within ±292 years.
constexpr Nanoseconds from_seconds(double s) {
  return Nanoseconds{static_cast<std::int64_t>(s * 1e9 + (s < 0 ? -0.5 : 0.5))};
}

}  // namespace braid
