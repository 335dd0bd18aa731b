#include "outlet.h"

#include <fmt/format.h>

#include <utility>

namespace braid::ingest {

namespace {
constexpr Nanoseconds kDamageInterval = std::chrono::seconds(1);
}  // namespace

Outlet::Outlet(SourceId id, const PacketSink& sink, Pacer& pacer, Options options, SteadyTime session_start)
    : id_(id), sink_(sink), pacer_(pacer), options_(options), session_start_(session_start) {
  bounds_.fill(SessionTime::min());
}

bool Outlet::wait_for(SessionTime at) {
  if (options_.realtime && !pacer_.wait_until(steady(at))) return false;
  return open();
}

StageTrace Outlet::trace(SessionTime complete, const Handling& handling) const {
  StageTrace trace;
  trace.enter(Stage::kCapture, options_.realtime || options_.live ? steady(complete) : handling.reading);
  trace.enter(Stage::kIngest, handling.decoding);
  return trace;
}

bool Outlet::forward(Packet packet) {
  if (!open()) return false;
  closed_ = sink_(std::move(packet)) == Accepted::kClosed;
  return open();
}

bool Outlet::bound(StreamKind stream, SessionTime nothing_before) {
  SessionTime& sent = bounds_[static_cast<std::size_t>(stream)];
  if (nothing_before <= sent) return open();
  const bool first_or_last = sent == SessionTime::min() || nothing_before == SessionTime::max();
  if (!first_or_last && nothing_before - sent < options_.bound_step) return open();
  sent = nothing_before;
  return forward(Bound{stream, nothing_before});
}

bool Outlet::damage(SessionTime at, ErrorCode code, const char* kind, const std::string& message) {
  auto [it, first] = faults_.try_emplace(fmt::format("{}/{}", to_string(code), kind));
  Fault& fault = it->second;
  fault.last_at = at;
  if (!first && at - fault.last_sent < kDamageInterval) {
    ++fault.held_back;
    fault.error = Error{code, message};
    return open();
  }
  fault.last_sent = at;
  const std::uint64_t more = std::exchange(fault.held_back, 0);
  return forward(Damage{
      id_, at,
      Error{code, more == 0 ? message : fmt::format("{} (and {} more like it before)", message, more)}});
}

bool Outlet::too_long(const std::string& target) {
  return damage(SessionTime(options_.longest), ErrorCode::kLimit, "length",
                fmt::format("{}: goes on after {:.1f} s, which is as much as is read; the rest is left out",
                            target, to_seconds(options_.longest)));
}

void Outlet::flush_damage() {
  for (auto& [kind, fault] : faults_) {
    const std::uint64_t more = std::exchange(fault.held_back, 0);
    if (more == 0) continue;
    if (more > 1) fault.error.message += fmt::format(" (and {} more like it before)", more - 1);
    if (!forward(Damage{id_, fault.last_at, fault.error})) return;
  }
}

}  // namespace braid::ingest
