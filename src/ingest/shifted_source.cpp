#include "shifted_source.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace braid::ingest {

namespace {

SessionTime shifted(SessionTime time, Nanoseconds by) {
  return time == SessionTime::max() || time == SessionTime::min() ? time : time + by;
}

/// Moves a packet; false: it lies before the session.
struct Shift {
  Nanoseconds by;

  bool operator()(Frame& frame) const {
    return (frame.captured = shifted(frame.captured, by)) >= kSessionStart;
  }
  bool operator()(AudioBlock& block) const {
    block.start = shifted(block.start, by);
    if (block.start >= kSessionStart) return true;
    const Nanoseconds before = kSessionStart - block.start;
    const auto cut =
        static_cast<std::size_t>((before.count() / 1000 * block.sample_rate + 999'999) / 1'000'000);
    if (cut >= block.samples.size()) return false;
    block.samples.erase(block.samples.begin(), block.samples.begin() + static_cast<std::ptrdiff_t>(cut));
    block.start = kSessionStart;
    return true;
  }
  bool operator()(TextLine& line) const {
    line.start = shifted(line.start, by);
    return (line.end = shifted(line.end, by)) >= kSessionStart;
  }
  bool operator()(Reading& reading) const { return (reading.at = shifted(reading.at, by)) >= kSessionStart; }
  bool operator()(Bound& bound) const {
    bound.nothing_before = shifted(bound.nothing_before, by);
    return true;
  }
  bool operator()(Damage& damage) const {
    damage.at = std::max(kSessionStart, shifted(damage.at, by));
    return true;
  }
};

class ShiftedSource final : public Source {
 public:
  ShiftedSource(std::unique_ptr<Source> source, Nanoseconds shift)
      : source_(std::move(source)), shift_{shift} {}

  const SourceInfo& info() const override { return source_->info(); }
  Status run(SourceId id, const PacketSink& sink) override {
    return source_->run(id, [&](Packet packet) {
      return std::visit(shift_, packet) ? sink(std::move(packet)) : Accepted::kTaken;
    });
  }
  void stop() override { source_->stop(); }

 private:
  const std::unique_ptr<Source> source_;
  const Shift shift_;
};

}  // namespace

std::unique_ptr<Source> shift_source(std::unique_ptr<Source> source, Nanoseconds shift) {
  return std::make_unique<ShiftedSource>(std::move(source), shift);
}

}  // namespace braid::ingest
