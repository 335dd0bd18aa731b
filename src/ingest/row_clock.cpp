#include "row_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "braid/calendar/utc.h"

namespace braid::ingest {

namespace {

/// What the numbers without a unit have in common.
struct Bare {
  std::size_t count = 0;
  double least = 0, most = 0;
  bool any_point = false;

  void add(const LogTime& time) {
    const auto number = log_time(time, TimeUnit::kNanoseconds);  // counts of whatever it is
    if (time.unit != TimeUnit::kAuto || is_calendar_time(time.text) || !number) return;
    const auto value = static_cast<double>(number->count());
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    any_point = any_point || time.text.find('.') != std::string::npos;
    ++count;
  }
  /// From row to row on average; of a single row, its time.
  double step() const { return count > 1 ? (most - least) / static_cast<double>(count - 1) : most; }
};

/// The unit in which `least` lies between 2001 and 2099, counted from 1970; those years don't overlap.
std::optional<TimeUnit> unit_since_1970(double least) {
  constexpr double kFrom = 1e9, kTo = 4.1e9;  // seconds
  constexpr std::array<std::pair<TimeUnit, double>, 4> kUnits = {{{TimeUnit::kSeconds, 1},
                                                                  {TimeUnit::kMilliseconds, 1e3},
                                                                  {TimeUnit::kMicroseconds, 1e6},
                                                                  {TimeUnit::kNanoseconds, 1e9}}};
  for (const auto& [unit, a_second] : kUnits)
    if (least >= kFrom * a_second && least < kTo * a_second) return unit;
  return std::nullopt;
}

}  // namespace

RowClock::RowClock(TimeUnit unit, std::optional<std::int64_t> epoch_us) : unit_(unit) {
  // Beyond this, nanoseconds would overflow; such an epoch is after every row.
  constexpr std::int64_t kLatestUs = std::int64_t{1} << 52;
  if (epoch_us) epoch_ = Microseconds(std::min(*epoch_us, kLatestUs));
}

/// The rule is stated in docs/sources.md, for people.
void RowClock::guess_unit() {
  constexpr double kLeastStepUs = 1000;  // machines that log by the microsecond do so at most so often
  unit_ = TimeUnit::kMicroseconds;
  Bare bare;
  for (const LogTime& time : first_) bare.add(time);
  if (bare.count == 0) return;
  if (const auto unit = unit_since_1970(bare.least)) {
    unit_ = *unit;
  } else if (bare.any_point || bare.step() < kLeastStepUs) {
    unit_ = TimeUnit::kSeconds;
  }
  if (unit_ == TimeUnit::kMicroseconds || bare.any_point) return;
  guess_ =
      fmt::format("its times have no unit and are taken for {}; if that is wrong, add unit=ns, us, ms or s",
                  unit_ == TimeUnit::kSeconds        ? "seconds"
                  : unit_ == TimeUnit::kMilliseconds ? "milliseconds"
                                                     : "nanoseconds");
}

void RowClock::learn(const LogRow& row) {
  if (!settled_ && row.start) first_.push_back(*row.start);
}

void RowClock::settle(std::optional<SessionTime> live_base) {
  if (unit_ == TimeUnit::kAuto) guess_unit();
  std::optional<Nanoseconds> earliest;
  for (const auto& time : first_)
    if (const auto ns = log_time(time, unit_)) earliest = std::min(earliest.value_or(*ns), *ns);
  if (earliest && live_base) {
    epoch_ = earliest;
    base_ = *live_base;
  } else if (earliest && !epoch_ && is_absolute(*earliest)) {
    epoch_ = earliest;
  }
  first_.clear();
  settled_ = true;
}

Result<SessionTime> RowClock::session(const LogTime& time) const {
  const auto ns = log_time(time, unit_);
  if (!ns) return tl::unexpected(ns.error());
  return base_ + (*ns - epoch_.value_or(Nanoseconds{}));
}

std::string RowClock::description() const {
  if (base_ != kSessionStart) return "times from the first arrival";
  if (!epoch_) return "times as written";
  if (!is_absolute(*epoch_)) return fmt::format("session 0 is {:.6f} s of the log", to_seconds(*epoch_));
  return "session 0 is " + calendar::utc_text(UtcTime(*epoch_));
}

}  // namespace braid::ingest
