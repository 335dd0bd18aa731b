#pragma once
// Senders with clocks of their own behind networks, by seed: what tests and benchmarks feed to estimators.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "braid/base/time.h"

namespace braid::sync::test {

/// Delays are `least` plus an exponential share of mean `jitter`, and `spike` more for some. Packets may
/// overtake one another.
struct PathKind {
  const char* name;
  double least_ms, back_least_ms;  ///< to the receiver, and from it
  double jitter_ms;
  double spike_share, spike_ms;
};
inline constexpr PathKind kLan{"LAN", 0.3, 0.3, 0.2, 0, 0};
inline constexpr PathKind kWifi{"Wi-Fi", 2, 2, 4, 0.02, 40};
inline constexpr PathKind kLte{"LTE", 25, 20, 12, 0.03, 120};
inline constexpr std::array<PathKind, 3> kPaths = {kLan, kWifi, kLte};

/// Numbers alike on every machine, which the standard's distributions are not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  double unit() { return (static_cast<double>(random_() >> 11) + 0.5) / 9007199254740992.0; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  double exponential(double mean) { return -mean * std::log(unit()); }
  std::int64_t delay_ns(const PathKind& path, double least_ms) {
    const double spike = unit() < path.spike_share ? path.spike_ms : 0;
    return static_cast<std::int64_t>(1e6 * (least_ms + exponential(path.jitter_ms) + spike));
  }
  std::int64_t there_ns(const PathKind& path) { return delay_ns(path, path.least_ms); }
  std::int64_t back_ns(const PathKind& path) { return delay_ns(path, path.back_least_ms); }

 private:
  std::mt19937_64 random_;
};

/// A clock that runs `ppm` fast and shows `start` at session time 0.
struct SenderClock {
  std::int64_t start = 0;  // ns
  double ppm = 0;
  std::int64_t at(std::int64_t session) const {
    return start + session + static_cast<std::int64_t>(ppm * 1e-6 * static_cast<double>(session));
  }
};

struct Sent {
  std::int64_t truth = 0;    ///< when it was captured, session time, ns
  std::int64_t stamp = 0;    ///< the same on the sender's clock
  std::int64_t arrival = 0;  ///< session time
};

inline SessionTime session(std::int64_t ns) { return SessionTime(Nanoseconds(ns)); }

/// Packets every `interval` ns from `from` to `to`, in the order they arrive.
inline std::vector<Sent> send(const PathKind& path, const SenderClock& clock, std::int64_t from,
                              std::int64_t to, std::int64_t interval, Dice& dice) {
  std::vector<Sent> sent;
  for (std::int64_t t = from; t < to; t += interval)
    sent.push_back({t, clock.at(t), t + dice.there_ns(path)});
  std::stable_sort(sent.begin(), sent.end(),
                   [](const Sent& a, const Sent& b) { return a.arrival < b.arrival; });
  return sent;
}

}  // namespace braid::sync::test
