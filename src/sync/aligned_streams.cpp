#include "braid/sync/aligned_streams.h"

#include <algorithm>
#include <array>

#include "stream_track.h"

namespace braid::sync {

const char* to_string(Coverage coverage) {
  static constexpr std::array<const char*, 4> kNames = {"settled", "assumed", "missing", "ended"};
  return kNames[static_cast<std::size_t>(coverage)];
}

struct AlignedStreams::State {
  explicit State(std::size_t most) : max_held(std::max<std::size_t>(1, most)) {}

  StreamTrack* find(StreamKey key) {
    const auto found = tracks.find(key);
    return found == tracks.end() ? nullptr : &found->second;
  }
  template <class Pick>
  AlignedWindow window(SessionTime from, SessionTime at, const Pick& pick) {
    AlignedWindow window{from, at, {}};
    window.streams.reserve(tracks.size());
    for (auto& [key, track] : tracks) window.streams.push_back(pick(track));
    return window;
  }

  const std::size_t max_held;
  std::map<StreamKey, StreamTrack> tracks;
  AlignmentCounts counts;
  SessionTime forgotten = SessionTime::min();
};

AlignedStreams::AlignedStreams(std::size_t max_held) : state_(std::make_unique<State>(max_held)) {}
AlignedStreams::AlignedStreams(AlignedStreams&&) noexcept = default;
AlignedStreams::~AlignedStreams() = default;

void AlignedStreams::add_stream(StreamKey stream) {
  state_->tracks.try_emplace(stream, stream, state_->max_held, state_->counts);
}

Added AlignedStreams::add(StreamKey stream, Member member) {
  StreamTrack* const track = state_->find(stream);
  if (track == nullptr) {
    ++state_->counts.unknown;
    return Added::kUnknown;
  }
  if (member.at < state_->forgotten) {
    ++state_->counts.late;
    return Added::kLate;
  }
  const bool behind = member.at < track->bound();
  if (behind) ++state_->counts.merged;
  track->add(member);
  return behind ? Added::kMerged : Added::kInTime;
}

void AlignedStreams::settle(StreamKey stream, SessionTime nothing_before) {
  if (StreamTrack* const track = state_->find(stream)) track->settle(nothing_before);
}

void AlignedStreams::assume(const Advance& advance) {
  if (StreamTrack* const track = state_->find(advance.stream)) track->assume(advance.nothing_before);
}

void AlignedStreams::end_stream(StreamKey stream) {
  if (StreamTrack* const track = state_->find(stream)) track->end();
}

void AlignedStreams::forget_before(SessionTime time) {
  if (time <= state_->forgotten) return;
  state_->forgotten = time;
  for (auto& [key, track] : state_->tracks) track.forget_before(time);
}

SessionTime AlignedStreams::bound(StreamKey stream) const {
  const StreamTrack* const track = state_->find(stream);
  return track == nullptr ? SessionTime::max() : track->bound();
}

SessionTime AlignedStreams::bound() const {
  SessionTime least = SessionTime::max();
  for (const auto& [key, track] : state_->tracks) least = std::min(least, track.bound());
  return least;
}

bool AlignedStreams::all_ended() const {
  return std::all_of(state_->tracks.begin(), state_->tracks.end(),
                     [](const auto& entry) { return entry.second.ended(); });
}

SessionTime AlignedStreams::told() const {
  SessionTime latest = SessionTime::min();
  for (const auto& [key, track] : state_->tracks) latest = std::max(latest, track.told());
  return latest;
}

std::optional<SessionTime> AlignedStreams::first_from(SessionTime time) const {
  std::optional<SessionTime> first;
  for (const auto& [key, track] : state_->tracks)
    if (const auto at = track.first_from(time); at && (!first || *at < *first)) first = at;
  return first;
}

AlignedWindow AlignedStreams::between(SessionTime from, SessionTime to, SessionTime at) {
  return state_->window(from, at, [&](StreamTrack& track) { return track.between(from, to, at); });
}

AlignedWindow AlignedStreams::as_of(SessionTime at) {
  return state_->window(at, at, [&](StreamTrack& track) { return track.as_of(at); });
}

AlignedWindow AlignedStreams::nearest(SessionTime at, Nanoseconds tolerance) {
  return state_->window(at - tolerance, at, [&](StreamTrack& track) { return track.nearest(at, tolerance); });
}

std::size_t AlignedStreams::held() const {
  std::size_t held = 0;
  for (const auto& [key, track] : state_->tracks) held += track.held();
  return held;
}

AlignmentCounts AlignedStreams::counts() const { return state_->counts; }

}  // namespace braid::sync
