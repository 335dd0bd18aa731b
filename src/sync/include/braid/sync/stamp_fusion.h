#pragma once
// One event, several stamps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "braid/base/time.h"

namespace braid::sync {

/// A frame or a block of sound may be stamped by the sensor's driver, by the network card and on arrival,
/// each already brought to one clock by its own SourceClock. The median of three is the event's time, so that
/// one of them may be wrong by anything; of two it is the earlier, since a later stamp has waited for
/// somebody, of one that one. A stamp further than `tolerance` from the result is an outlier of its place and
/// counted there. One thread.
class StampFusion {
 public:
  static constexpr std::size_t kStamps = 3;

  explicit StampFusion(Nanoseconds tolerance) : tolerance_(tolerance) {}

  /// Place by place; an absent stamp is none. More than three are not looked at. None: there was none.
  std::optional<SessionTime> fuse(std::span<const std::optional<SessionTime>> stamps);
  /// How often the stamp of each place was an outlier.
  const std::array<std::uint64_t, kStamps>& outliers() const { return outliers_; }

 private:
  Nanoseconds tolerance_;
  std::array<std::uint64_t, kStamps> outliers_{};
};

}  // namespace braid::sync
