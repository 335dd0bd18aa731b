#pragma once
// Packets read ahead of decoding, so that streams come in order of time and silence is known before it is
// due.

#include <array>
#include <optional>
#include <vector>

#include "braid/packet/packet.h"
#include "handles.h"

namespace braid::ingest::ffmpeg {

/// One thread. Reuses packets, so that it allocates nothing after warm-up.
class PacketQueue {
 public:
  static constexpr std::size_t kMaxPackets = 4096;
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  struct Entry {
    PacketPtr packet;
    StreamKind stream = StreamKind::kVideo;
    SessionTime at;         ///< decode time
    SessionTime due;        ///< when a live sender would have sent it: a stretch of sound at its end
    Nanoseconds reading{};  ///< how long reading it took
  };

  /// `lookahead`: how far the newest packet must be ahead of the oldest. 0: each goes through at once.
  explicit PacketQueue(Nanoseconds lookahead) : lookahead_(lookahead) {}

  /// Reads on, as far as there is room, until something of this stream is here, unless it has ended. Files
  /// alone can be read ahead so.
  void expect(StreamKind stream) { expected_[static_cast<std::size_t>(stream)] = true; }

  PacketPtr blank();
  void push(Entry entry);
  /// Far enough ahead, or full.
  bool ready() const;
  /// The packet that is due first; ties go to the lower stream. Not empty.
  Entry pop();
  void recycle(PacketPtr packet);
  /// Moves the newest packet of a stream, if it is still here. `base`: that of its times.
  void move_newest(StreamKind stream, Nanoseconds by, AVRational base);
  bool empty() const { return packets_ == 0; }
  bool empty(StreamKind stream) const { return of(stream).empty(); }

  /// Nothing of `stream` that is queued or will be read is earlier; containers keep streams within a second.
  /// Of one that is expected and isn't here nothing is known.
  SessionTime nothing_before(StreamKind stream) const;
  SessionTime furthest() const { return furthest_; }

  static constexpr Nanoseconds kInterleave = std::chrono::seconds(1);

 private:
  /// A queue in a vector, which keeps its memory.
  struct Line {
    std::vector<Entry> entries;
    std::size_t begin = 0;

    bool empty() const { return begin == entries.size(); }
    const Entry& front() const { return entries[begin]; }
    Entry pop();
  };
  bool full() const { return packets_ >= kMaxPackets || bytes_ >= kMaxBytes; }
  const Line& of(StreamKind stream) const { return lines_[static_cast<std::size_t>(stream)]; }

  Nanoseconds lookahead_;
  std::array<bool, kStreamKinds> expected_{};
  std::array<Line, kStreamKinds> lines_;
  std::vector<PacketPtr> spare_;
  std::size_t packets_ = 0;
  std::size_t bytes_ = 0;
  SessionTime furthest_{};
};

}  // namespace braid::ingest::ffmpeg
