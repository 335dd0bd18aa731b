#include "braid/ingest/scripted_source.h"

#include <algorithm>
#include <utility>

#include "outlet.h"

namespace braid::ingest {

namespace {

SessionTime end_of(const Frame& frame) { return frame.captured; }
SessionTime end_of(const AudioBlock& block) { return block.start + block.duration(); }
SessionTime end_of(const TextLine& line) { return line.end; }
SessionTime end_of(const Reading& reading) { return reading.at; }

StreamKind stream_of(const Frame&) { return StreamKind::kVideo; }
StreamKind stream_of(const AudioBlock&) { return StreamKind::kAudio; }
StreamKind stream_of(const TextLine&) { return StreamKind::kText; }
StreamKind stream_of(const Reading&) { return StreamKind::kReading; }

template <class T>
constexpr bool kIsMark = std::is_same_v<T, Bound> || std::is_same_v<T, Damage>;

class ScriptedSource final : public Source {
 public:
  ScriptedSource(SourceInfo info, std::vector<ScriptedPacket> packets, ScriptedOptions options, Clock& clock)
      : info_(std::move(info)), packets_(std::move(packets)), options_(std::move(options)), pacer_(clock) {}

  const SourceInfo& info() const override { return info_; }
  void stop() override { pacer_.stop(); }

  Status run(SourceId id, const PacketSink& sink) override {
    const SteadyTime start = options_.session_start ? options_.session_start() : pacer_.now();
    Outlet outlet(id, sink, pacer_, {.realtime = false, .live = true, .bound_step = {}}, start);
    for (auto& scripted : packets_)
      if (!play(scripted, outlet)) return {};
    for (std::size_t kind = 0; options_.bounds && kind < kStreamKinds; ++kind)
      if (info_.streams[kind]) outlet.bound(static_cast<StreamKind>(kind), SessionTime::max());
    return {};
  }

 private:
  bool play(ScriptedPacket& scripted, Outlet& outlet) {
    const SteadyTime arrival = outlet.steady(SessionTime(scripted.arrival));
    if (!pacer_.wait_until(arrival + options_.capture_delay)) return false;
    return std::visit([&](auto& packet) { return deliver(packet, arrival, outlet); }, scripted.packet);
  }

  template <class T>
  bool deliver(T& packet, SteadyTime arrival, Outlet& outlet) {
    if constexpr (std::is_same_v<T, Bound>) return outlet.bound(packet.stream, packet.nothing_before);
    if constexpr (std::is_same_v<T, Damage>)
      return outlet.damage(packet.at, packet.error.code, "script", packet.error.message);
    if constexpr (!kIsMark<T>) {
      const SteadyTime begun = pacer_.now();
      if (options_.ingest_delay > Nanoseconds{} && !pacer_.wait_until(begun + options_.ingest_delay))
        return false;
      const SessionTime end = end_of(packet);
      const SessionTime could_be_had = std::min(end, outlet.session(arrival));
      const StreamKind stream = stream_of(packet);
      if (!outlet.send(std::move(packet), could_be_had, {.reading = begun, .decoding = begun})) return false;
      return !options_.bounds || outlet.bound(stream, end);
    }
  }

  SourceInfo info_;
  std::vector<ScriptedPacket> packets_;
  ScriptedOptions options_;
  Pacer pacer_;
};

}  // namespace

std::unique_ptr<Source> make_scripted_source(SourceInfo info, std::vector<ScriptedPacket> packets,
                                             ScriptedOptions options, Clock& clock) {
  return std::make_unique<ScriptedSource>(std::move(info), std::move(packets), std::move(options), clock);
}

}  // namespace braid::ingest
