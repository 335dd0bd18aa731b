#include "clock/stamp_unwrapper.h"

#include "clock/slewed_map.h"

namespace braid::sync {
namespace {

__extension__ using Wide = __int128;
constexpr Wide kSecond = 1'000'000'000;

Wide divide_to_nearest(Wide a, Wide b) { return (a >= 0 ? a + b / 2 : a - b / 2) / b; }

}  // namespace

StampUnwrapper::StampUnwrapper(std::int64_t num, std::int64_t den, int bits) {
  // So that stamps of 63 bits times the numerator times a second's 30 bits fit into 127.
  if (num <= 0 || num > (std::int64_t{1} << 32) || den <= 0 || den > (std::int64_t{1} << 40)) return;
  if (bits < 0 || bits > 62) return;
  num_ = num;
  den_ = den;
  modulus_ = bits == 0 ? 0 : std::int64_t{1} << bits;
}

std::optional<Unwrapped> StampUnwrapper::unwrap(std::int64_t stamp,
                                                std::optional<std::int64_t> expected) const {
  const auto ns_of = [&](Wide ticks) { return divide_to_nearest(ticks * num_ * kSecond, den_); };
  Wide ticks = stamp;
  Wide laps = 0;
  if (modulus_ != 0) {
    ticks = ((ticks % modulus_) + modulus_) % modulus_;
    if (expected) {
      const Wide near = divide_to_nearest(Wide(*expected) * den_, Wide(num_) * kSecond);
      laps = divide_to_nearest(near - ticks, modulus_);
      ticks += laps * modulus_;
    }
  }
  const Wide ns = ns_of(ticks);
  if (ns > SlewedMap::kLimit || ns < -SlewedMap::kLimit) return std::nullopt;
  return Unwrapped{static_cast<std::int64_t>(ns), static_cast<std::int64_t>(laps)};
}

}  // namespace braid::sync
