// braid_media_cost FILE SIDE ISOLATE [FPS]: reads a file as fast as it goes, in this process (0) or in one of
// its own (1), every picture or FPS a second, at most SIDE px; says how long the first frame and all of them
// took.

#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "braid/ingest/open.h"

namespace braid::bench {
namespace {

constexpr double kEveryPicture = 1000;  // frames a second

Result<boost::json::object> read(const char* file, const ingest::IngestOptions& options) {
  RealClock clock;
  auto spec = ingest::parse_source_spec(file);
  if (!spec) return tl::unexpected(spec.error());
  // A server has done so long before.
  if (auto ready = ingest::prepare_isolation(options.isolation); !ready) return tl::unexpected(ready.error());
  clock.sleep_for(Milliseconds(options.isolation.on ? 200 : 0));
  const SteadyTime begin = clock.now();
  auto source = ingest::open_source(*spec, options, clock);
  if (!source) return tl::unexpected(source.error());
  const SteadyTime opened = clock.now();
  std::int64_t frames = 0;
  SteadyTime first{};
  const Status ran = (*source)->run(SourceId{0}, [&](const Packet& packet) {
    if (std::holds_alternative<Frame>(packet) && ++frames == 1) first = clock.now();
    return ingest::Accepted::kTaken;
  });
  if (!ran) return tl::unexpected(ran.error());
  const auto ms = [](Nanoseconds d) { return to_seconds(d) * 1e3; };
  return boost::json::object{{"frames", frames},
                             {"open_ms", ms(opened - begin)},
                             {"first_ms", ms(first - begin)},
                             {"ms", ms(clock.now() - begin)}};
}

}  // namespace
}  // namespace braid::bench

int main(int argc, char** argv) {
  using namespace braid;
  if (argc < 4) return std::cerr << "usage: braid_media_cost FILE SIDE ISOLATE [FPS]\n", 2;
  ingest::IngestOptions options;
  options.fps = options.max_fps = argc > 4 ? std::atof(argv[4]) : bench::kEveryPicture;
  options.max_frame_side = std::atoi(argv[2]);
  options.isolation.on = std::string_view(argv[3]) == "1";
  const auto result = bench::read(argv[1], options);
  if (!result) return std::cerr << "braid_media_cost: " << result.error().message << "\n", 1;
  std::cout << boost::json::serialize(*result) << "\n";
  return 0;
}
