#pragma once
// How late a live stream's packets come, and so how long to wait for one that is silent.

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "braid/packet/packet.h"

namespace braid::sync {

/// One stream of one source.
struct StreamKey {
  SourceId source;
  StreamKind kind = StreamKind::kVideo;

  bool operator==(const StreamKey&) const = default;
  bool operator<(const StreamKey& other) const {
    return std::tie(source, kind) < std::tie(other.source, other.kind);
  }
};

/// A bound that rests on measured lateness, not on what the stream said. The one thing here that depends on
/// when packets came: to replay a session, record these and apply them again at the same place among its
/// packets.
struct Advance {
  StreamKey stream;
  SessionTime nothing_before;

  bool operator==(const Advance&) const = default;
};

struct LatenessOptions {
  Nanoseconds cap = Milliseconds(1000);  ///< nobody is waited for longer; also until enough has been measured
  Nanoseconds floor = Milliseconds(20);  ///< nor shorter
  int target_per_mille = 990;            ///< so many packets shall come in time
};

/// A forgetting histogram of lateness, and its quantile; after the delay histogram of the WebRTC project's
/// NetEQ (2011). In whole numbers: the same everywhere. One thread; allocates nothing.
class LatenessHistogram {
 public:
  static constexpr int kEnough = 100;  ///< packets before which the cap holds

  explicit LatenessHistogram(LatenessOptions options = {});
  /// Negative: it came before its time; counts as in time.
  void add(Nanoseconds lateness);
  /// How long to wait: the target's quantile, rounded up to a 200th of the cap, within floor and cap.
  Nanoseconds wait() const;

 private:
  static constexpr std::size_t kBuckets = 201;  // the last is of what is later than the cap
  void rescale();

  LatenessOptions options_;
  Nanoseconds width_;
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t total_ = 0;
  std::uint64_t weight_;  // of the next packet: grows, which is as good as older ones shrinking
  int count_ = 0;         // up to kEnough
};

/// The lateness of each live stream, and the bounds that follow from it. One thread.
class LiveBounds {
 public:
  explicit LiveBounds(LatenessOptions options = {}) : options_(options) {}

  void add(StreamKey stream);
  void remove(StreamKey stream);
  /// A packet of `stamp` came at `now`. Streams that weren't added are ignored.
  void arrived(StreamKey stream, SessionTime stamp, SessionTime now);
  /// The bounds that have moved since the last call, by stream.
  std::vector<Advance> advance(SessionTime now);
  /// How long the stream is waited for; none: it wasn't added.
  std::optional<Nanoseconds> wait(StreamKey stream) const;

 private:
  struct Live {
    LatenessHistogram lateness;
    SessionTime told = SessionTime::min();
  };
  LatenessOptions options_;
  std::map<StreamKey, Live> streams_;
};

}  // namespace braid::sync
