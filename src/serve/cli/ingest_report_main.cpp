// braid_ingest_report [--LIMIT VALUE]... SOURCE: what ingest delivers of a source, as one JSON object,
// without a model; for tests that compare it with what the file holds. Every picture is taken unless --fps
// says otherwise. SIGINT stops it, as a session's end would.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "braid/base/clock.h"
#include "braid/ingest/open.h"
#include "braid/sync/source_clock.h"

namespace {

using namespace braid;
namespace json = boost::json;

constexpr double kEveryPicture = 100'000;  // frames a second

json::object error_object(const Error& error) {
  return {{"code", to_string(error.code)}, {"message", error.message}};
}

/// [top left, top right, bottom left, bottom right] mean [r, g, b], of each quadrant's middle.
json::array quadrants(const Frame& frame) {
  json::array found;
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    const int left = quadrant % 2 * (frame.width / 2), top = quadrant / 2 * (frame.height / 2);
    const int width = std::max(1, frame.width / 2), height = std::max(1, frame.height / 2);
    std::array<double, 3> sum{};
    double count = 0;
    for (int y = top + height / 4; y < top + height - height / 4; ++y)
      for (int x = left + width / 4; x < left + width - width / 4; ++x, ++count)
        for (int c = 0; c < 3; ++c)
          sum[c] += frame.pixels.data()[static_cast<std::ptrdiff_t>(y) * frame.stride + 3 * x + c];
    json::array mean;
    for (const double channel : sum) mean.emplace_back(std::lround(channel / count));
    found.push_back(std::move(mean));
  }
  return found;
}

/// A live source's times, as in a session.
class Stamps final : public ingest::StampClock {
 public:
  Captured observe(std::int64_t stamp, SessionTime arrival) override {
    const sync::Captured captured = clock_.observe(stamp, arrival);
    return {captured.at, captured.error_bound, captured.believed};
  }
  void restart() override { clock_.restart(); }
  void reference(std::int64_t stamp, SessionTime at, Nanoseconds error) override {
    clock_.reference(stamp, at, error);
  }

 private:
  sync::SourceClock clock_{{}};
};

/// Everything a source sends, and whether each stream keeps its order and its bounds.
class Report {
 public:
  Report() { bounds_.fill(SessionTime::min()); }

  void operator()(const Packet& packet) {
    std::visit([this](const auto& content) { take(content); }, packet);
  }
  json::object finish(const Status& status) {
    json::object report{{"frames", std::move(frames_)},       {"sound", std::move(sound_)},
                        {"lines", std::move(lines_)},         {"readings", std::move(readings_)},
                        {"damage", std::move(damage_)},       {"notices", std::move(notices_)},
                        {"broken_bounds", std::move(broken_)}};
    if (!status) report["error"] = error_object(status.error());
    return report;
  }

 private:
  void check(StreamKind stream, SessionTime at) {
    if (at < bounds_[static_cast<std::size_t>(stream)])
      broken_.push_back({static_cast<int>(stream), to_seconds(at)});
  }
  void take(const Frame& frame) {
    check(StreamKind::kVideo, frame.captured);
    frames_.push_back({{"at", to_seconds(frame.captured)},
                       {"size", {frame.width, frame.height}},
                       {"error", to_seconds(frame.error_bound)},
                       {"scene", frame.scene_change},
                       {"quadrants", quadrants(frame)}});
  }
  void take(const AudioBlock& block) {
    check(StreamKind::kAudio, block.start);
    const SessionTime end = block.start + block.duration();
    if (sound_.empty() || block.start != sound_end_) {
      sound_.push_back(json::object{{"start", to_seconds(block.start)}});
      energy_ = samples_ = 0;
    }
    for (const float sample : block.samples) energy_ += sample * sample;
    samples_ += static_cast<double>(block.samples.size());
    json::object& stretch = sound_.back().as_object();
    stretch["end"] = to_seconds(end);
    stretch["rms"] = std::sqrt(energy_ / std::max(1.0, samples_));
    sound_end_ = end;
  }
  void take(const TextLine& line) {
    check(StreamKind::kText, line.end);
    lines_.push_back({{"start", to_seconds(line.start)}, {"end", to_seconds(line.end)}, {"text", line.text}});
  }
  void take(const Reading& reading) {
    check(StreamKind::kReading, reading.at);
    json::object values;
    for (const auto& [channel, value] : reading.values) values[channel] = value;
    readings_.push_back({{"at", to_seconds(reading.at)}, {"values", std::move(values)}});
  }
  void take(const Bound& bound) {
    check(bound.stream, bound.nothing_before);
    bounds_[static_cast<std::size_t>(bound.stream)] = bound.nothing_before;
  }
  void take(const Damage& damage) {
    if (damage.notice) {
      notices_.emplace_back(damage.error.message);
      return;
    }
    json::object fault = error_object(damage.error);
    fault["at"] = to_seconds(damage.at);
    damage_.push_back(std::move(fault));
  }

  json::array frames_, sound_, lines_, readings_, damage_, notices_, broken_;
  std::array<SessionTime, kStreamKinds> bounds_;
  SessionTime sound_end_ = SessionTime::min();
  double energy_ = 0, samples_ = 0;
};

void block_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// One is pending.
bool interrupted() {
  sigset_t signals;
  sigpending(&signals);
  return sigismember(&signals, SIGINT) == 1;
}

bool set(ingest::IngestOptions& options, std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (name == "--fps")
    options.fps = options.max_fps = value;
  else if (name == "--max-frame-side")
    options.max_frame_side = static_cast<int>(value);
  else if (name == "--max-side")
    options.limits.max_side = static_cast<int>(value);
  else if (name == "--max-pixels")
    options.limits.max_pixels = static_cast<std::int64_t>(value);
  else if (name == "--max-streams")
    options.limits.max_streams = static_cast<int>(value);
  else if (name == "--max-duration")
    options.limits.max_duration = from_seconds(value);
  else if (name == "--max-unpacked-bytes")
    options.limits.max_unpacked_bytes = static_cast<std::int64_t>(value);
  else if (name == "--max-probe-bytes")
    options.limits.max_probe_bytes = static_cast<std::int64_t>(value);
  else if (name == "--isolate")
    options.isolation.on = value != 0;
  else if (name == "--patience")
    options.isolation.patience = from_seconds(value);
  else if (name == "--memory-bytes")
    options.isolation.memory_bytes = static_cast<std::int64_t>(value);
  else if (name == "--network-timeout")
    options.network_timeout = from_seconds(value);
  else
    return false;
  return true;
}

json::object read(std::string_view text, ingest::IngestOptions options) {
  RealClock clock;
  const SteadyTime begun = clock.now();
  options.session_start = [begun] { return begun; };
  options.clocks = [](const std::string&) { return std::make_unique<Stamps>(); };
  Report report;
  const auto spec = ingest::parse_source_spec(text);
  if (!spec) return report.finish(tl::unexpected(spec.error()));
  const auto source = ingest::open_source(*spec, options, clock);
  if (!source) return report.finish(tl::unexpected(source.error()));
  std::fputs("open\n", stderr);
  SteadyTime asked{};
  std::jthread stopper([&](const std::stop_token& over) {
    while (!over.stop_requested() && !interrupted()) std::this_thread::sleep_for(Milliseconds(5));
    asked = clock.now();
    (*source)->stop();
  });
  const Status ran = (*source)->run(SourceId{0}, [&report](const Packet& packet) {
    report(packet);
    return ingest::Accepted::kTaken;
  });
  const SteadyTime ended = clock.now();
  stopper.request_stop();
  stopper.join();
  json::object result = report.finish(ran);
  result["begun"] = to_seconds(begun.time_since_epoch());
  if (interrupted()) result["stopped_in"] = to_seconds(ended - asked);
  const ingest::SourceInfo& info = (*source)->info();
  result["description"] = info.description;
  result["duration"] = to_seconds(info.duration);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  block_interrupts();
  ingest::IngestOptions options;
  options.fps = options.max_fps = kEveryPicture;
  int next = 1;
  for (; next + 2 < argc; next += 2)
    if (!set(options, argv[next], argv[next + 1]))
      return std::fprintf(stderr, "%s %s: no such limit\n", argv[next], argv[next + 1]), 2;
  if (next + 1 != argc)
    return std::fprintf(stderr, "usage: braid_ingest_report [--LIMIT VALUE]... SOURCE\n"), 2;
  json::object report = read(argv[next], options);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  report["peak_bytes"] = std::int64_t{used.ru_maxrss} << 10;
  std::puts(json::serialize(report).c_str());
  return 0;
}
