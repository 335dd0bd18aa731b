#pragma once
// How long the quickest packet is under way.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "clock/delay_floor.h"

namespace braid::sync {

/// Keeps the last eight references and the last eight exchanges. Of references the one in the middle tells,
/// of exchanges the one with the least delay (the clock filter of NTP: Mills, RFC 5905, section 10); of both,
/// the surer. Of an exchange only the way back counts: how quick the way there can be the floor knows better,
/// so luck there costs nothing. Times and delays in ns from the origin of `floor`.
class PathDelay {
 public:
  static constexpr std::size_t kKept = 8;
  static constexpr double kLongest = 10e9;  ///< no path takes longer

  struct Estimate {
    double delay = 0, error = 0;
  };

  /// At source time `at` the true difference to session time was `offset`, give or take `error`. False: that
  /// contradicts the floor, and is left out.
  bool reference(double at, double offset, double error, const DelayFloor& floor);
  /// What came back at `at` had left when the difference to session time was `back` and the way's delay
  /// less: the truth is between `back` and the floor.
  bool exchange(double at, double back, const DelayFloor& floor);
  std::optional<Estimate> best(double at, const DelayFloor& floor) const;
  /// The source's clock was changed and the origin moves; the path is as long as before.
  void begin_epoch(const DelayFloor& before);

 private:
  struct Told {
    double at = 0, offset = 0, error = 0;
    bool settled = false;  // of an earlier clock: `offset` is the path's delay
    bool halved = false;   // an exchange: half of the way there and back, which the error is too
    double delay(const DelayFloor& floor) const {
      if (settled) return offset;
      const double under_way = floor.value(at) - offset;
      return halved ? under_way / 2 : under_way;
    }
    double error_at(double when, const DelayFloor& floor) const {
      const double told = halved && !settled ? std::max(0.0, delay(floor)) : error;
      return told + DelayFloor::kUncertainSkew * (when > at ? when - at : 0);
    }
  };
  struct Ring {
    std::array<Told, kKept> told;
    std::size_t count = 0;  // ever
    std::size_t size() const { return count < kKept ? count : kKept; }
    void add(const Told& one) { told[count++ % kKept] = one; }
  };
  static bool is_possible(const Told& told, const DelayFloor& floor);
  static std::optional<Estimate> middle(const Ring& ring, double at, const DelayFloor& floor);
  static std::optional<Estimate> surest(const Ring& ring, double at, const DelayFloor& floor);

  Ring references_, exchanges_;
};

}  // namespace braid::sync
