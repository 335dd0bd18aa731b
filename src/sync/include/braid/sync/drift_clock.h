#pragma once
// Two clocks compared by clock.ping: what Braid's clients do, for those in C++ and as the reference of the
// others.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace braid::sync {

/// The server's clock (session time) beside the client's, by running means (alpha 0.2) over exchanges that
/// can be trusted. The sync window is open while exchanges are quick and agree. One that took longer than 50
/// ms, or that tells an offset more than 20 ms away, closes it and changes nothing else. Three in a row whose
/// round trips vary by less than 15 ms, and whose offsets by no more than 20 ms, open it again, at another
/// offset if the old one no longer fits. While it is closed the last model goes on and its bound widens; what
/// the last eight exchanges have in common takes its place where it agrees and is surer, or still contradicts
/// it after three exchanges.
///
/// clients/python and web/clock.js do the same; tests/data/drift.json is what all three must agree on. Times
/// are µs. One thread; no value is refused but counted.
class DriftClock {
 public:
  static constexpr double kAlpha = 0.2;
  static constexpr std::size_t kOpenAfter = 3;  ///< exchanges that agree
  static constexpr std::size_t kKept = 8;       ///< exchanges
  static constexpr double kMostVariationUs = 15'000;
  static constexpr double kLongestRoundTripUs = 50'000;
  static constexpr double kLongestJumpUs = 20'000;
  static constexpr double kWander = 200e-6;  ///< what two clocks may drift apart, per time passed

  /// Session time less client time, and by how much that is off at most.
  struct Offset {
    double us = 0;
    double bound_us = 0;
  };

  /// Sent at t1 and back at t4 by the client's clock; received at t2 and answered at t3 in session time.
  void exchange(std::int64_t t1_us, std::int64_t t2_us, std::int64_t t3_us, std::int64_t t4_us);
  /// At this time of the client's. None: no exchange yet.
  std::optional<Offset> offset(double client_us) const;

  bool is_open() const { return open_; }
  std::uint64_t closed() const { return closed_; }    ///< how often the window was
  std::uint64_t refused() const { return refused_; }  ///< exchanges that can't be
  /// How long to wait until the next exchange, ms.
  int ping_after_ms() const { return open_ ? 2000 : waited_ < kKept ? 250 : 1000; }

 private:
  struct Estimate {
    double offset_us = 0, round_trip_us = 0, at_us = 0;
    double bound_us(double client_us) const;
    Estimate moved_to(const Estimate& other) const;
  };
  Estimate recent(std::size_t back) const { return last_[(count_ - 1 - back) % kKept]; }
  bool agree() const;
  void open();
  void wait(const Estimate& told);
  Offset in_common(double client_us) const;

  std::optional<Estimate> model_;
  std::array<Estimate, kKept> last_;
  std::size_t count_ = 0;     // ever
  std::size_t agreeing_ = 0;  // how many of the last may open the window
  std::size_t waited_ = 0;    // exchanges since the window closed
  bool open_ = false;
  std::uint64_t closed_ = 0, refused_ = 0;
};

}  // namespace braid::sync
