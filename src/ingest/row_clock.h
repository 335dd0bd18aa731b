#pragma once
// From times as written in a log to session times. Pure.

#include <optional>
#include <string>

#include "braid/ingest/log_row.h"

namespace braid::ingest {

/// Learns the unit and the zero from a log's first rows, then converts. One thread.
class RowClock {
 public:
  /// `unit` and `epoch_us` as the user gave them.
  RowClock(TimeUnit unit, std::optional<std::int64_t> epoch_us);

  /// A row of the first ones, before settle().
  void learn(const LogRow& row);
  /// `live_base`: live rows begin at this session time, whatever they say.
  void settle(std::optional<SessionTime> live_base = std::nullopt);
  bool settled() const { return settled_; }

  Result<SessionTime> session(const LogTime& time) const;
  /// "times as written" or "session 0 is 2026-11-29T12:00:00.5Z".
  std::string description() const;
  /// What was assumed of numbers without a unit, as a sentence; empty: nothing that the documentation doesn't
  /// state as the default.
  const std::string& guess() const { return guess_; }

 private:
  void guess_unit();

  TimeUnit unit_;
  std::optional<Nanoseconds> epoch_;
  std::vector<LogTime> first_;  // until settled
  SessionTime base_{};
  bool settled_ = false;
  std::string guess_;
};

}  // namespace braid::ingest
