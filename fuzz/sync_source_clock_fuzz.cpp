// Any sequence of stamps, arrivals, references and exchanges: mapped times never go back, bounds are never
// negative.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "braid/sync/source_clock.h"

namespace {

using braid::Nanoseconds;
using braid::SessionTime;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  /// Small steps as often as anything.
  std::int64_t step() {
    const std::uint8_t how = byte();
    std::uint64_t value = 0;
    for (int i = 0; i < how % 9; ++i) value = value << 8 | byte();
    return static_cast<std::int64_t>(how & 64 ? 0 - value : value);
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

SessionTime time_of(std::int64_t ns) { return SessionTime(Nanoseconds(ns)); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  braid::sync::ClockOptions options;
  const std::uint8_t kind = bytes.byte();
  if (kind & 1) options.tick_den = 90'000;
  if (kind & 2) options.wrap_bits = kind & 1 ? 33 : 32;
  if (kind & 4) options.tick_num = bytes.step();
  if (kind & 8) options.tick_den = bytes.step();
  if (kind & 16) options.wrap_bits = static_cast<int>(bytes.step());
  braid::sync::SourceClock clock(options);
  std::int64_t stamp = bytes.step(), now = bytes.step();
  std::uint64_t packets = 0, exchanges = 0;
  SessionTime frontier = SessionTime::min();
  std::int64_t newest = INT64_MIN;
  while (!bytes.empty()) {
    const std::uint8_t what = bytes.byte();
    if (what % 8 == 0) clock.reference(bytes.step(), time_of(bytes.step()), Nanoseconds(bytes.step()));
    if (what % 8 == 1) {
      ++exchanges;
      const auto resets = clock.report().resets;
      clock.exchange({sum(stamp, bytes.step()), time_of(sum(now, bytes.step())),
                      time_of(sum(now, bytes.step())), sum(stamp, bytes.step())});
      if (clock.report().resets != resets) newest = INT64_MIN;  // two that contradict the clock begin another
    }
    if (what % 8 < 2) continue;
    const std::int64_t passed = what % 8 < 6 ? what * std::int64_t{300'000} : bytes.step();
    stamp = sum(stamp, what % 8 == 7 ? bytes.step() : passed);
    now = sum(now, passed);
    const auto resets = clock.report().resets;
    const braid::sync::Captured got = clock.observe(stamp, time_of(now));
    ++packets;
    const auto forecast = clock.map(bytes.step());
    if (got.error_bound < Nanoseconds(0) || forecast.error_bound < Nanoseconds(0)) std::abort();
    const auto report = clock.report();
    if (report.packets != packets || report.resets > packets / 4 + exchanges / 2) std::abort();
    if (report.resets != resets) newest = INT64_MIN;
    // What is not believed is mapped to the newest; what is newer, to no less. Ticks and laps are not looked
    // into.
    const bool forward = (kind & 31) == 0 && got.believed && stamp > newest;
    if (forward) newest = stamp;
    if ((forward || !got.believed) && got.at < frontier) std::abort();
    if (forward || !got.believed) frontier = got.at;
  }
  return 0;
}
