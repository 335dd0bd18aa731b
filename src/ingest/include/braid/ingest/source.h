#pragma once
// Where packets come from. Each Source runs on a thread of its own; opening and reading block.

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "braid/base/clock.h"
#include "braid/packet/packet.h"

namespace braid::ingest {

/// What a source will send, known when it is open.
struct SourceInfo {
  std::string name;  ///< shown to people and written into prompts of readings; unique in a session
  std::array<bool, kStreamKinds> streams{};  ///< by StreamKind: may send it
  bool live = false;                         ///< goes on whether or not we read
  bool may_stall = false;                    ///< a pipe or a server, which may stop sending and not say so
  Nanoseconds duration{};                    ///< 0: unknown
  std::string description;                   ///< one line: container, codecs, size, rates
};

/// What the next stage does with a packet.
enum class Accepted { kTaken, kClosed };

/// Takes a source's packets, on the source's thread. kClosed: stop reading.
using PacketSink = std::function<Accepted(Packet)>;

/// A file, stream, device, pipe or log. One thread, except stop().
class Source {
 public:
  virtual ~Source() = default;
  virtual const SourceInfo& info() const = 0;
  /// Sends everything, in session time, until the end, a kClosed or stop(). A part that can't be read is sent
  /// as Damage and skipped; an Error means that nothing more can come.
  virtual Status run(SourceId id, const PacketSink& sink) = 0;
  /// Makes run() return soon. Any thread.
  virtual void stop() = 0;
};

}  // namespace braid::ingest
