#include "row_clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace braid::ingest {

RowClock::RowClock(TimeUnit unit, std::optional<std::int64_t> epoch_us) : unit_(unit) {
  // Beyond this, nanoseconds would overflow; such an epoch is after every row.
  constexpr std::int64_t kLatestUs = std::int64_t{1} << 52;
  if (epoch_us) epoch_ = Microseconds(std::min(*epoch_us, kLatestUs));
}

void RowClock::learn(const LogRow& row) {
  if (!settled_ && row.start) first_.push_back(*row.start);
}

void RowClock::settle(std::optional<SessionTime> live_base) {
  const auto has_point = [](const LogTime& time) {
    return time.unit == TimeUnit::kAuto && time.text.find('.') != std::string::npos;
  };
  if (unit_ == TimeUnit::kAuto)
    unit_ =
        std::any_of(first_.begin(), first_.end(), has_point) ? TimeUnit::kSeconds : TimeUnit::kMicroseconds;
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
  const auto us = std::chrono::duration_cast<Microseconds>(*epoch_).count();
  return fmt::format("session 0 is {:%Y-%m-%dT%H:%M:%S}.{:06d}Z",
                     fmt::gmtime(static_cast<std::time_t>(us / 1'000'000)), us % 1'000'000);
}

}  // namespace braid::ingest
