#include "braid/serve/session_clocks.h"

#include <utility>

namespace braid::serve {

namespace {

class SourceStamps final : public ingest::StampClock {
 public:
  explicit SourceStamps(std::shared_ptr<SessionClock> clock) : clock_(std::move(clock)) {}

  Captured observe(std::int64_t stamp, SessionTime arrival) override {
    const sync::Captured captured = clock_->observe(stamp, arrival);
    return {captured.at, captured.error_bound, captured.believed};
  }
  void restart() override { clock_->restart(); }
  void reference(std::int64_t stamp, SessionTime at, Nanoseconds error) override {
    clock_->reference(stamp, at, error);
  }

 private:
  const std::shared_ptr<SessionClock> clock_;
};

}  // namespace

sync::Captured SessionClock::observe(std::int64_t stamp, SessionTime arrival) {
  std::lock_guard lock(mutex_);
  return clock_.observe(stamp, arrival);
}

void SessionClock::restart() {
  std::lock_guard lock(mutex_);
  clock_.restart();
}

void SessionClock::reference(std::int64_t stamp, SessionTime at, Nanoseconds error) {
  std::lock_guard lock(mutex_);
  clock_.reference(stamp, at, error);
}

void SessionClock::exchange(const sync::ClockExchange& exchange) {
  std::lock_guard lock(mutex_);
  clock_.exchange(exchange);
}

sync::Captured SessionClock::map(std::int64_t stamp) const {
  std::lock_guard lock(mutex_);
  return clock_.map(stamp);
}

sync::ClockReport SessionClock::report() const {
  std::lock_guard lock(mutex_);
  return clock_.report();
}

std::shared_ptr<SessionClock> SessionClocks::open(const std::string& name,
                                                  const sync::ClockOptions& options) {
  std::lock_guard lock(mutex_);
  if (const auto found = clocks_.find(name); found != clocks_.end()) return found->second;
  if (clocks_.size() >= kMost) {
    ++refused_;
    return nullptr;
  }
  return clocks_.emplace(name, std::make_shared<SessionClock>(options)).first->second;
}

void SessionClocks::exchange(const std::vector<std::string>& names, const sync::ClockOptions& options,
                             const sync::ClockExchange& exchange) {
  for (const std::string& name : names)
    if (const auto clock = open(name, options)) clock->exchange(exchange);
}

std::vector<ClockState> SessionClocks::report() const {
  std::vector<ClockState> states;
  std::lock_guard lock(mutex_);
  states.reserve(clocks_.size());
  for (const auto& [name, clock] : clocks_)
    if (sync::ClockReport report = clock->report(); report.packets > 0) states.push_back({name, report});
  return states;
}

ingest::MakeStampClock clocks_of_sources(std::shared_ptr<SessionClocks> clocks) {
  return [clocks = std::move(clocks)](const std::string& source) -> std::unique_ptr<ingest::StampClock> {
    auto clock = clocks->open(source, {});
    return clock ? std::make_unique<SourceStamps>(std::move(clock)) : nullptr;
  };
}

std::uint64_t SessionClocks::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace braid::serve
