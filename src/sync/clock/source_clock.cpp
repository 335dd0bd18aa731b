#include "braid/sync/source_clock.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "clock/delay_floor.h"
#include "clock/path_delay.h"
#include "clock/slewed_map.h"
#include "clock/stamp_unwrapper.h"
#include "clock/suspect_run.h"

namespace braid::sync {
namespace {

constexpr std::int64_t kSessionLimit = SlewedMap::kLimit / 2;  // ns: differences of any two times fit
constexpr double kHeldBy = 1e9;                                // ns later than the packet before
constexpr double kRestartFrom = 60e9;
constexpr std::int64_t kNearZero = 1'000'000'000;
constexpr double kRunTolerance = 50e6;
constexpr double kRunJitters = 6;  // mean delays over the floor that packets of a run may differ by
constexpr double kSlewSettled = 0.05, kSlewYoung = 0.5;
constexpr double kPauseIntervals = 4;
constexpr double kIntervalWeight = 1.0 / 8;
constexpr std::size_t kRecent = 16;
constexpr std::size_t kWaiting = 8;
constexpr int kContradictions = 2;  // exchanges in a row

std::int64_t ns_of(SessionTime t) {
  return std::clamp(std::int64_t{t.time_since_epoch().count()}, -kSessionLimit, kSessionLimit);
}

SessionTime time_of(std::int64_t ns) { return SessionTime(Nanoseconds(ns)); }

Nanoseconds rounded(double ns) { return Nanoseconds(std::llround(std::clamp(ns, -4e18, 4e18))); }

}  // namespace

const char* to_string(ClockEvent event) {
  constexpr std::array<const char*, kClockEvents> kNames = {"step",
                                                            "restart",
                                                            "pause",
                                                            "wrap",
                                                            "backwards",
                                                            "reordered",
                                                            "duplicate",
                                                            "outlier",
                                                            "arrival_backwards",
                                                            "reference_refused"};
  return kNames[static_cast<std::size_t>(event)];
}

struct SourceClock::State {
  using Packet = SuspectRun::Packet;

  explicit State(const ClockOptions& o) : options(o), unwrapper(o.tick_num, o.tick_den, o.wrap_bits) {}

  double x(std::int64_t source) const { return static_cast<double>(source - base_source); }
  double relative(std::int64_t delay) const { return static_cast<double>(delay - base_delay); }
  void count(ClockEvent event) { ++report.events[static_cast<std::size_t>(event)]; }

  PathDelay::Estimate path_at(double at) const;
  std::int64_t target(std::int64_t source) const;
  Nanoseconds bound(std::int64_t source, std::int64_t mapped) const;
  Captured believed(std::int64_t source, std::int64_t mapped) const;

  std::optional<Packet> take(std::int64_t stamp, SessionTime arrival);
  Doubt doubt_of(const Packet& packet) const;
  void drop_run();
  void begin_epoch(const Packet& first, bool same_sender);
  void follow_run();
  Captured disbelieved(std::int64_t arrival) const;
  Captured accept(const Packet& packet);
  void look_at_interval(std::int64_t passed);
  void exchange(const ClockExchange& exchange);
  void contradict();

  ClockOptions options;
  StampUnwrapper unwrapper;
  DelayFloor floor;
  PathDelay path;
  SlewedMap map;
  SuspectRun run;
  std::int64_t base_source = 0, base_delay = 0;  // the origin of floor and path
  Packet newest;                                 // in order and believed
  std::int64_t last_arrival = -kSessionLimit;
  std::array<std::int64_t, kRecent> recent{};   // stamps, ns
  std::size_t recent_count = 0;                 // ever, of this clock
  double usual_interval = 0;                    // ns
  std::array<ClockExchange, kWaiting> waiting;  // came before the first packet
  std::size_t waiting_count = 0;
  int contradictions = 0;  // by exchanges, in a row
  ClockReport report;
};

PathDelay::Estimate SourceClock::State::path_at(double at) const {
  const auto told = path.best(at, floor);
  return told ? *told : PathDelay::Estimate{0, static_cast<double>(options.unknown_path.count())};
}

std::int64_t SourceClock::State::target(std::int64_t source) const {
  const double at = x(source);
  return source + base_delay + rounded(floor.value(at) - path_at(at).delay).count();
}

Nanoseconds SourceClock::State::bound(std::int64_t source, std::int64_t mapped) const {
  const double at = x(source);
  const double astray = std::abs(static_cast<double>(target(source) - mapped));
  return rounded(floor.uncertainty(at) + path_at(at).error + astray);
}

Captured SourceClock::State::believed(std::int64_t source, std::int64_t mapped) const {
  return {time_of(mapped), bound(source, mapped), true};
}

Captured SourceClock::State::disbelieved(std::int64_t arrival) const {
  return {time_of(map.frontier()), Nanoseconds(arrival - map.frontier()), false};
}

std::optional<SuspectRun::Packet> SourceClock::State::take(std::int64_t stamp, SessionTime at) {
  std::int64_t arrival = ns_of(at);
  if (arrival < last_arrival) {
    count(ClockEvent::kArrivalBackwards);
    arrival = last_arrival;
  }
  last_arrival = arrival;
  ++report.packets;
  std::optional<std::int64_t> expected;
  if (!map.empty()) expected = newest.source + (arrival - newest.arrival);
  const auto unwrapped = unwrapper.unwrap(stamp, expected);
  if (!unwrapped) return std::nullopt;
  return Packet{unwrapped->ns, arrival, unwrapped->laps, Doubt::kNone};
}

Doubt SourceClock::State::doubt_of(const Packet& packet) const {
  if (packet.source <= newest.source) {
    const auto end = recent.begin() + static_cast<std::ptrdiff_t>(std::min(recent_count, kRecent));
    if (std::find(recent.begin(), end, packet.source) != end) return Doubt::kDuplicate;
    return newest.source - packet.source > options.reorder_window.count() ? Doubt::kFarBehind
                                                                          : Doubt::kBehind;
  }
  const double at = x(packet.source);
  if (relative(packet.delay()) < floor.value(at) - floor.tolerance(at)) return Doubt::kAhead;
  if (static_cast<double>(packet.delay() - newest.delay()) > kHeldBy) return Doubt::kHeld;
  return Doubt::kNone;
}

void SourceClock::State::drop_run() {
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Doubt doubt = run[i].doubt;
    if (doubt == Doubt::kAhead) count(ClockEvent::kOutlier);
    if (doubt == Doubt::kBehind) count(ClockEvent::kReordered);
    if (doubt == Doubt::kFarBehind) count(ClockEvent::kBackwards);
    if (doubt == Doubt::kDuplicate) count(ClockEvent::kDuplicate);
  }
  run.clear();
}

void SourceClock::State::begin_epoch(const Packet& first, bool same_sender) {
  if (same_sender)
    path.begin_epoch(floor);
  else
    path = PathDelay{};
  floor.clear(same_sender);
  map.begin_epoch();
  base_source = first.source;
  base_delay = first.delay();
  recent_count = 0;
  usual_interval = 0;
  newest = first;
}

// Four packets agree: from the first of them on it is another clock.
void SourceClock::State::follow_run() {
  const Packet first = run[0];
  const double leap = relative(first.delay()) - floor.value(x(newest.source));
  const bool anew = first.source < newest.source && first.source >= 0 && first.source < kNearZero;
  const bool restart = run.doubt() != Doubt::kHeld && (anew || std::abs(leap) > kRestartFrom);
  count(run.doubt() == Doubt::kHeld ? ClockEvent::kPause
        : restart                   ? ClockEvent::kRestart
                                    : ClockEvent::kStep);
  ++report.resets;
  begin_epoch(first, !restart);
  for (std::size_t i = 0; i + 1 < run.size(); ++i) floor.add(x(run[i].source), relative(run[i].delay()));
  run.clear();
}

void SourceClock::State::look_at_interval(std::int64_t passed) {
  const auto interval = static_cast<double>(passed);
  const double longest =
      std::max(static_cast<double>(options.pause.count()), kPauseIntervals * usual_interval);
  if (interval > longest)
    count(ClockEvent::kPause);
  else
    usual_interval += kIntervalWeight * (interval - usual_interval);
}

Captured SourceClock::State::accept(const Packet& packet) {
  floor.add(x(packet.source), relative(packet.delay()));
  if (map.empty()) {
    // Once: where they contradict each other an epoch begins, and this again.
    const std::size_t waited = std::min(std::exchange(waiting_count, 0), kWaiting);
    for (std::size_t i = 0; i < waited; ++i) exchange(waiting[i]);
  } else {
    if (packet.laps > newest.laps) count(ClockEvent::kWrap);
    look_at_interval(packet.source - newest.source);
  }
  newest = packet;
  recent[recent_count++ % kRecent] = packet.source;
  const double rate = floor.settled() ? kSlewSettled : kSlewYoung;
  return believed(packet.source, map.extend(packet.source, target(packet.source), packet.arrival, rate));
}

void SourceClock::State::exchange(const ClockExchange& e) {
  const auto sent = unwrapper.unwrap(e.t1, newest.source), back = unwrapper.unwrap(e.t4, newest.source);
  const std::int64_t t2 = ns_of(e.t2), t3 = ns_of(e.t3);
  const double trip =
      !sent || !back ? -1 : static_cast<double>(back->ns - sent->ns) - static_cast<double>(t3 - t2);
  if (t3 < t2 || trip < 0 || trip > PathDelay::kLongest) return count(ClockEvent::kReferenceRefused);
  const double there = relative(t2 - sent->ns), here = relative(t3 - back->ns);
  const double at = x(back->ns);
  if (here > floor.value(at) + floor.tolerance(at)) return contradict();
  contradictions = 0;
  if (there < floor.value(x(sent->ns)) - floor.tolerance(x(sent->ns)) || !path.exchange(at, here, floor))
    return count(ClockEvent::kReferenceRefused);
  floor.add(x(sent->ns), there);
}

// An answer came back before it was sent, if the clock is what it was: it was put back, by so little that its
// packets only seemed late.
void SourceClock::State::contradict() {
  count(ClockEvent::kReferenceRefused);
  if (++contradictions < kContradictions) return;
  contradictions = 0;
  count(ClockEvent::kStep);
  ++report.resets;
  run.clear();
  const Packet first = newest;
  begin_epoch(first, true);
  accept(first);
}

SourceClock::SourceClock(ClockOptions options) : state_(std::make_unique<State>(options)) {}
SourceClock::~SourceClock() = default;
SourceClock::SourceClock(SourceClock&&) noexcept = default;
SourceClock& SourceClock::operator=(SourceClock&&) noexcept = default;

Captured SourceClock::observe(std::int64_t stamp, SessionTime arrival) {
  State& s = *state_;
  auto packet = s.take(stamp, arrival);
  if (!packet) {
    s.count(ClockEvent::kOutlier);
    return s.map.empty() ? Captured{time_of(s.last_arrival), s.options.unknown_path, false}
                         : s.disbelieved(s.last_arrival);
  }
  if (s.map.empty()) {
    s.begin_epoch(*packet, false);
    return s.accept(*packet);
  }
  const Doubt doubt = packet->doubt = s.doubt_of(*packet);
  const double tolerance = std::max(kRunTolerance, kRunJitters * s.floor.mean_jitter());
  if (s.run.fits(*packet, tolerance)) {
    s.run.add(*packet);
  } else {
    s.drop_run();
    if (doubt != Doubt::kNone) s.run.begin(*packet);
  }
  if (s.run.complete()) {
    if (s.run.came_in_time()) {
      s.follow_run();
      return s.accept(*packet);
    }
    s.drop_run();
  }
  if (doubt == Doubt::kAhead || doubt == Doubt::kFarBehind) return s.disbelieved(packet->arrival);
  if (doubt == Doubt::kNone || doubt == Doubt::kHeld) return s.accept(*packet);
  s.floor.add(s.x(packet->source), s.relative(packet->delay()));
  return s.believed(packet->source, s.map.at(packet->source));
}

void SourceClock::restart() {
  State& s = *state_;
  if (s.map.empty()) return;
  s.drop_run();
  s.count(ClockEvent::kRestart);
  ++s.report.resets;
  s.map.begin_epoch();
}

void SourceClock::reference(std::int64_t stamp, SessionTime at, Nanoseconds error) {
  State& s = *state_;
  const auto source = s.map.empty() ? std::nullopt : s.unwrapper.unwrap(stamp, s.newest.source);
  const auto wide = static_cast<double>(error.count());
  if (!source || wide < 0 || wide > PathDelay::kLongest ||
      !s.path.reference(s.x(source->ns), s.relative(ns_of(at) - source->ns), wide, s.floor))
    s.count(ClockEvent::kReferenceRefused);
}

void SourceClock::exchange(const ClockExchange& exchange) {
  State& s = *state_;
  if (s.map.empty())
    s.waiting[s.waiting_count++ % kWaiting] = exchange;
  else
    s.exchange(exchange);
}

Captured SourceClock::map(std::int64_t stamp) const {
  const State& s = *state_;
  const auto source = s.map.empty() ? std::nullopt : s.unwrapper.unwrap(stamp, s.newest.source);
  if (!source) return {time_of(s.last_arrival), s.options.unknown_path, false};
  if (source->ns <= s.newest.source) return s.believed(source->ns, s.map.at(source->ns));
  return s.believed(source->ns, std::max(s.map.frontier(), s.target(source->ns)));
}

ClockReport SourceClock::report() const {
  const State& s = *state_;
  ClockReport report = s.report;
  if (s.map.empty()) return report;
  const JitterFigures jitter = s.floor.jitter();
  const std::int64_t newest = s.target(s.newest.source);
  report.offset = Nanoseconds(newest - s.newest.source);
  report.error_bound = s.bound(s.newest.source, newest);
  report.skew_known = s.floor.skew_known();
  report.skew_ppm = report.skew_known ? -1e6 * s.floor.slope() : 0;
  report.jitter_mean = rounded(jitter.mean);
  report.jitter_deviation = rounded(jitter.deviation);
  report.jitter_peak_to_peak = rounded(jitter.peak_to_peak);
  return report;
}

}  // namespace braid::sync
