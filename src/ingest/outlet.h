#pragma once
// The way out of every source: pacing, bounds, traces and damage that doesn't flood.

#include <array>
#include <map>
#include <string>

#include "braid/ingest/open.h"
#include "braid/ingest/source.h"
#include "pacer.h"

namespace braid::ingest {

/// When reading and decoding of a packet began.
struct Handling {
  SteadyTime reading;
  SteadyTime decoding;
};

/// One source's, for one run(). One thread, that of run().
class Outlet {
 public:
  struct Options {
    bool realtime = false;                      ///< hold packets until their time
    bool live = false;                          ///< could be had at its time, without being held
    Nanoseconds bound_step = Milliseconds(20);  ///< bounds that move on by less are not worth a packet
    Nanoseconds longest{};                      ///< of what is passed on; 0: any length
  };
  Outlet(SourceId id, const PacketSink& sink, Pacer& pacer, Options options, SteadyTime session_start);

  /// Under realtime blocks until session time `at`. False: stop reading.
  bool wait_for(SessionTime at);
  /// Sends a packet that is complete at session time `complete`. False: stop reading.
  template <class T>
  bool send(T packet, SessionTime complete, const Handling& handling) {
    if (!wait_for(complete)) return false;
    packet.source = id_;
    packet.trace = trace(complete, handling);
    return forward(std::move(packet));
  }
  /// Sends a bound if it has moved on by enough to be worth a packet; an endless one always, once.
  bool bound(StreamKind stream, SessionTime nothing_before);
  /// What was promised last: nothing earlier may be sent.
  SessionTime promised(StreamKind stream) const { return bounds_[static_cast<std::size_t>(stream)]; }
  /// Later than may be passed on.
  bool past_end(SessionTime at) const {
    return options_.longest > Nanoseconds{} && at.time_since_epoch() > options_.longest;
  }
  /// Reports that `target` goes on past that. False: stop reading.
  bool too_long(const std::string& target);
  /// The source's last promise but the endless one: it was told of up to `at`, which is waited for. False:
  /// stop reading.
  bool end(StreamKind stream, SessionTime at) { return wait_for(at) && forward(Bound{stream, at}); }
  /// Sends a fault. Of those alike in code and `kind`, one a second of session time is sent; it tells how
  /// many more there were.
  bool damage(SessionTime at, ErrorCode code, const char* kind, const std::string& message);
  /// Tells something that people should know and that costs nothing. False: stop reading.
  bool notice(const std::string& message) {
    return forward(Damage{id_, kSessionStart, {ErrorCode::kUsage, message}, true});
  }
  /// Sends the counts of faults held back since. At the end.
  void flush_damage();

  bool open() const { return !closed_ && !pacer_.stopped(); }
  SteadyTime steady(SessionTime at) const { return session_start_ + at.time_since_epoch(); }
  SessionTime session(SteadyTime at) const { return SessionTime(at - session_start_); }
  Pacer& pacer() { return pacer_; }

 private:
  struct Fault {
    SessionTime last_sent;
    std::uint64_t held_back = 0;
    SessionTime last_at;
    Error error;
  };
  StageTrace trace(SessionTime complete, const Handling& handling) const;
  bool forward(Packet packet);

  SourceId id_;
  const PacketSink& sink_;
  Pacer& pacer_;
  Options options_;
  SteadyTime session_start_;
  bool closed_ = false;
  std::array<SessionTime, kStreamKinds> bounds_;
  std::map<std::string, Fault> faults_;
};

}  // namespace braid::ingest
