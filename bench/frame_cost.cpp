// What a 1080p frame costs in Braid's own code: hand-off from the source, order, novelty, chunk making,
// planning, commit and delivery, with an engine that takes no time. And what it allocates, there and while a
// file is read.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>

#include "allocations.h"
#include "braid/engine/llama_engine.h"
#include "braid/ingest/open.h"
#include "idle_engine.h"
#include "live_session.h"
#include "pictures.h"

namespace braid::bench {
namespace {

namespace json = boost::json;

constexpr int kWidth = 1920, kHeight = 1080;
constexpr int kWarmUp = 200;

double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

json::array described(const std::vector<AllocationSite>& sites) {
  json::array out;
  for (const AllocationSite& site : sites)
    out.push_back(json::object{{"owner", to_string(site.owner)},
                               {"count", site.count},
                               {"bytes", site.bytes},
                               {"stack", json::array(site.stack.begin(), site.stack.end())}});
  return out;
}

double quantile(std::vector<double> sorted, double q) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

serve::SessionOptions filtered() {
  serve::SessionOptions options = live_options(0);
  options.encode.novelty.enabled = true;
  options.encode.novelty.heartbeat = {};
  return options;
}

/// Frames one at a time: from the camera's hand to the event that says it is in the cache.
json::object time_frames(LiveSession& live, Clock& clock, const std::vector<Frame>& pictures, int frames) {
  std::vector<double> took;
  took.reserve(static_cast<std::size_t>(frames));
  const double cpu_before = cpu_ms();
  for (int i = 0; i < frames; ++i) {
    const SteadyTime begin = clock.now();
    live.show(pictures[static_cast<std::size_t>(i) % pictures.size()]);
    took.push_back(to_ms(live.wait_seen() - begin));
    clock.sleep_for(Milliseconds(2));
  }
  const double cpu = (cpu_ms() - cpu_before) / frames;
  std::sort(took.begin(), took.end());
  return {{"frames", frames},
          {"cpu_ms", cpu},
          {"p50_ms", quantile(took, 0.5)},
          {"p99_ms", quantile(took, 0.99)},
          {"max_ms", took.back()}};
}

json::object count_frames(LiveSession& live, const std::vector<Frame>& pictures, int frames) {
  live.show(pictures.back());
  live.wait_seen();
  start_counting();
  for (int i = 0; i < frames; ++i) {
    {
      const OwnerScope scope(Owner::kBench);
      live.show(pictures[static_cast<std::size_t>(i) % pictures.size()]);
    }
    live.wait_seen();
  }
  const auto sites = stop_counting();
  return {{"frames", frames}, {"sites", described(sites)}};
}

Result<json::object> in_session(const std::string& model, int frames) {
  RealClock clock;
  engine::LlamaOptions options;
  options.model = model;
  options.cells = kCells;
  options.max_sequences = kSequences;
  auto real = engine::load_llama(options);
  if (!real) return tl::unexpected(real.error());
  real->info.sees = true;
  engine::Engine engine = idle_engine(std::move(*real), 16);
  const std::vector<Frame> pictures = draw_pictures(12, kWidth, kHeight);
  auto live = LiveSession::open(engine, clock, filtered());
  if (!live) return tl::unexpected(live.error());
  time_frames(**live, clock, pictures, kWarmUp);
  json::object out;
  out["time"] = time_frames(**live, clock, pictures, frames);
  out["kept"] = count_frames(**live, pictures, frames / 4);
  out["nothing_new"] = count_frames(**live, {pictures.back()}, frames / 4);
  if (const auto fault = (*live)->fault()) return fail(ErrorCode::kInternal, *fault);
  return out;
}

/// Reads a file of 1080p and counts what is allocated from the tenth frame on.
Result<json::object> in_ingest(const std::string& file) {
  constexpr int kFirst = 10;
  RealClock clock;
  ingest::IngestOptions options;
  options.fps = options.max_fps = 10;
  auto spec = ingest::parse_source_spec(file);
  if (!spec) return tl::unexpected(spec.error());
  auto source = ingest::open_source(*spec, options, clock);
  if (!source) return tl::unexpected(source.error());
  int frames = 0;
  SteadyTime begin{}, end{};
  const Status ran = (*source)->run(SourceId{0}, [&](const Packet& packet) {
    if (std::holds_alternative<Frame>(packet)) {
      end = clock.now();
      if (++frames == kFirst) {
        begin = end;
        start_counting();
      }
    }
    return ingest::Accepted::kTaken;
  });
  const auto sites = stop_counting();
  if (!ran) return tl::unexpected(ran.error());
  const int counted = std::max(1, frames - kFirst);
  return json::object{{"frames", counted}, {"ms", to_ms(end - begin) / counted}, {"sites", described(sites)}};
}

int report(Result<json::object> result) {
  if (!result) {
    std::cerr << "braid_frame_cost: " << result.error().message << "\n";
    return 1;
  }
  std::cout << json::serialize(*result) << "\n";
  return 0;
}

}  // namespace
}  // namespace braid::bench

int main(int argc, char** argv) {
  using namespace braid::bench;
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "session" && argc == 4) return report(in_session(argv[2], std::atoi(argv[3])));
  if (mode == "ingest" && argc == 3) return report(in_ingest(argv[2]));
  std::cerr << "usage: braid_frame_cost session MODEL FRAMES | ingest FILE\n";
  return 2;
}
