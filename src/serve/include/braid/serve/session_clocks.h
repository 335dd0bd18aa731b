#pragma once
// The clocks of whoever sends to a session, by name.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "braid/ingest/stamp_clock.h"
#include "braid/sync/source_clock.h"

namespace braid::serve {

/// A SourceClock that may be fed and read from any thread.
class SessionClock {
 public:
  explicit SessionClock(sync::ClockOptions options) : clock_(options) {}

  /// As SourceClock's.
  sync::Captured observe(std::int64_t stamp, SessionTime arrival);
  void restart();
  void reference(std::int64_t stamp, SessionTime at, Nanoseconds error);
  void exchange(const sync::ClockExchange& exchange);
  sync::Captured map(std::int64_t stamp) const;
  sync::ClockReport report() const;

 private:
  mutable std::mutex mutex_;
  sync::SourceClock clock_;
};

/// What is known of one of them.
struct ClockState {
  std::string name;
  sync::ClockReport report;
};

/// Thread-safe.
class SessionClocks {
 public:
  static constexpr std::size_t kMost = 32;  ///< clocks; of further senders arrivals count

  /// The clock of that name, new if there is none. `options` are those of its first call. Null: there are
  /// kMost already, and one more was refused.
  std::shared_ptr<SessionClock> open(const std::string& name, const sync::ClockOptions& options);
  /// To all of those named, new if there are none.
  void exchange(const std::vector<std::string>& names, const sync::ClockOptions& options,
                const sync::ClockExchange& exchange);
  /// Those that anything was stamped by, by name.
  std::vector<ClockState> report() const;
  /// How often a clock was refused.
  std::uint64_t refused() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<SessionClock>> clocks_;
  std::uint64_t refused_ = 0;
};

/// Clocks of live sources among these, by the source's name.
ingest::MakeStampClock clocks_of_sources(std::shared_ptr<SessionClocks> clocks);

}  // namespace braid::serve
