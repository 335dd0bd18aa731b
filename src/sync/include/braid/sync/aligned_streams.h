#pragma once
// Many streams side by side: what each has told, how far that is certain, and what of it falls into a window.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "braid/sync/lateness.h"

namespace braid::sync {

/// One packet, by its time and what the caller knows it by. At equal times members are ordered by `item`.
struct Member {
  SessionTime at;
  Nanoseconds error_bound{};  ///< |at - truth| is at most this
  std::uint64_t item = 0;

  bool operator==(const Member&) const = default;
};

/// Why a window waits no longer for a stream.
enum class Coverage : std::uint8_t {
  kSettled,  ///< the stream told of all of the window
  kAssumed,  ///< for a part of it only measured lateness says that nothing was
  kMissing,  ///< for all of it: the stream stalls, or had nothing to say
  kEnded,    ///< the stream ended before or in it
};
const char* to_string(Coverage coverage);  ///< "settled", "assumed", "missing", "ended"

/// What a window has of one stream.
struct StreamPart {
  StreamKey stream;
  std::vector<Member> members;     ///< in order of time
  std::optional<Nanoseconds> age;  ///< from the newest member to the window's moment; negative: after it
  Nanoseconds error_bound{};       ///< the largest of its members
  Coverage coverage = Coverage::kSettled;

  bool operator==(const StreamPart&) const = default;
};

/// What was at `at`, or in [from, at).
struct AlignedWindow {
  SessionTime from;
  SessionTime at;
  std::vector<StreamPart> streams;  ///< each stream, in order of its key

  bool operator==(const AlignedWindow&) const = default;
};

/// Where a member went.
enum class Added : std::uint8_t {
  kInTime,
  kMerged,   ///< behind its stream's bound, but windows that it falls into are still open
  kLate,     ///< all of its windows are closed; not held
  kUnknown,  ///< no such stream
};

struct AlignmentCounts {
  std::uint64_t in_windows = 0;  ///< members that were in one window or more, and are held no more
  std::uint64_t in_none = 0;     ///< that were in no window: between two, or nobody asked
  std::uint64_t merged = 0;
  std::uint64_t late = 0;
  std::uint64_t overflow = 0;  ///< pushed out by newer ones before they were in a window
  std::uint64_t unknown = 0;
};

/// Holds members until no window needs them. Policies (window_policies.h) read it. What they get depends on
/// stamps, bounds and advances alone, in whatever order the streams' come between one another. Each call
/// costs the logarithm of what is held. One thread.
class AlignedStreams {
 public:
  static constexpr std::size_t kMaxHeld = 4096;  ///< members of a stream, by default

  explicit AlignedStreams(std::size_t max_held = kMaxHeld);
  AlignedStreams(AlignedStreams&&) noexcept;
  ~AlignedStreams();

  void add_stream(StreamKey stream);
  /// Says nothing about what else may come: settle() does.
  Added add(StreamKey stream, Member member);
  /// The stream has told all that was before `nothing_before`.
  void settle(StreamKey stream, SessionTime nothing_before);
  /// Lateness says so. Bounds never go back.
  void assume(const Advance& advance);
  void end_stream(StreamKey stream);
  /// No window that starts earlier will be asked for; of each stream the last member before it is kept, as
  /// what still holds; with SessionTime::max() none.
  void forget_before(SessionTime time);

  /// Nothing earlier is to come, of this stream and of any. No streams: SessionTime::max().
  SessionTime bound(StreamKey stream) const;
  SessionTime bound() const;
  bool all_ended() const;
  /// The latest time that any stream has told of.
  SessionTime told() const;
  /// The first member of any stream at or after `time`.
  std::optional<SessionTime> first_from(SessionTime time) const;

  /// The members in [from, to), as a part whose moment is `at`. All streams must be bound to `to`.
  AlignedWindow between(SessionTime from, SessionTime to, SessionTime at);
  /// The last member of each stream at or before `at`.
  AlignedWindow as_of(SessionTime at);
  /// The member of each stream that is nearest to `at` and no further than `tolerance`; of two, the earlier.
  AlignedWindow nearest(SessionTime at, Nanoseconds tolerance);

  std::size_t held() const;
  AlignmentCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid::sync
