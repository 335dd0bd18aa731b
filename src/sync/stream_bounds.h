#pragma once
// What each stream has promised.

#include <array>
#include <map>
#include <optional>

#include "braid/packet/packet.h"
#include "order.h"

namespace braid::sync {

/// A bound for each announced stream of each source. Bounds never go back; a stream that never said anything
/// promises nothing.
class StreamBounds {
 public:
  void add(SourceId source, std::array<bool, kStreamKinds> streams);
  void raise(SourceId source, StreamKind kind, SessionTime nothing_before);
  void end(SourceId source);
  void end_all();

  bool has(SourceId source, StreamKind kind) const;
  bool any() const { return !sources_.empty(); }
  /// There was a source, and none goes on.
  bool all_ended() const;
  /// The first place that a packet still to come can have. None: no stream holds anything back.
  std::optional<Place> least() const;
  /// The source whose least bound is the furthest behind; of equals, the first. None: none goes on.
  std::optional<SourceId> hungriest() const;

 private:
  struct Source {
    std::array<bool, kStreamKinds> streams{};
    std::array<SessionTime, kStreamKinds> bounds{};
    bool ended = false;
  };
  static std::optional<Place> least_of(SourceId id, const Source& source);

  std::map<SourceId, Source> sources_;
};

}  // namespace braid::sync
