#include "stream_bounds.h"

#include <algorithm>

namespace braid::sync {

void StreamBounds::add(SourceId source, std::array<bool, kStreamKinds> streams) {
  Source& added = sources_[source];
  added = {streams, {}, false};
  added.bounds.fill(SessionTime::min());
}

void StreamBounds::raise(SourceId source, StreamKind kind, SessionTime nothing_before) {
  if (!has(source, kind)) return;
  SessionTime& bound = sources_.at(source).bounds[static_cast<std::size_t>(kind)];
  bound = std::max(bound, nothing_before);
}

void StreamBounds::end(SourceId source) {
  const auto found = sources_.find(source);
  if (found != sources_.end()) found->second.ended = true;
}

void StreamBounds::end_all() {
  for (auto& [id, source] : sources_) source.ended = true;
}

bool StreamBounds::has(SourceId source, StreamKind kind) const {
  const auto index = static_cast<std::size_t>(kind);
  const auto found = sources_.find(source);
  return found != sources_.end() && index < kStreamKinds && found->second.streams[index];
}

bool StreamBounds::all_ended() const {
  return any() &&
         std::all_of(sources_.begin(), sources_.end(), [](const auto& entry) { return entry.second.ended; });
}

std::optional<Place> StreamBounds::least_of(SourceId id, const Source& source) {
  std::optional<Place> least;
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    if (source.ended || !source.streams[kind]) continue;
    const Place place{source.bounds[kind], rank_of(static_cast<StreamKind>(kind)), id};
    if (!least || place < *least) least = place;
  }
  return least;
}

std::optional<Place> StreamBounds::least() const {
  std::optional<Place> least;
  for (const auto& [id, source] : sources_)
    if (const auto place = least_of(id, source); place && (!least || *place < *least)) least = place;
  return least;
}

std::optional<SourceId> StreamBounds::hungriest() const {
  std::optional<SourceId> hungriest;
  SessionTime least = SessionTime::max();
  for (const auto& [id, source] : sources_) {
    if (source.ended) continue;
    const auto place = least_of(id, source);
    const SessionTime bound = place ? place->time : SessionTime::max();
    if (hungriest && bound >= least) continue;
    hungriest = id;
    least = bound;
  }
  return hungriest;
}

}  // namespace braid::sync
