// braid_ingest_outcomes: reads a source's description from each line of standard input, decodes it in a
// process of its own and prints what came of it as one JSON object a line. For tests: this process outlives
// them all.

#include <dirent.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "braid/base/clock.h"
#include "braid/ingest/open.h"

namespace {

using namespace braid;

constexpr double kEveryPicture = 100'000;  // frames a second

struct Counts {
  std::int64_t frames = 0, sound = 0, lines = 0, damage = 0;
  std::uint64_t sum = 0;  // of bytes of pictures: all of each is looked at
};

struct Counter {
  Counts& counts;
  void operator()(const Frame& frame) const {
    ++counts.frames;
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < 3 * frame.width; ++x)
        counts.sum += frame.pixels.data()[static_cast<std::ptrdiff_t>(y) * frame.stride + x];
  }
  void operator()(const AudioBlock&) const { ++counts.sound; }
  void operator()(const TextLine&) const { ++counts.lines; }
  void operator()(const Damage& damage) const { counts.damage += damage.notice ? 0 : 1; }
  template <class Other>
  void operator()(const Other&) const {}
};

Status read(const std::string& text, const ingest::IngestOptions& options, Clock& clock, Counts& counts) {
  const auto spec = ingest::parse_source_spec(text);
  if (!spec) return tl::unexpected(spec.error());
  const auto source = ingest::open_source(*spec, options, clock);
  if (!source) return tl::unexpected(source.error());
  return (*source)->run(SourceId{0}, [&counts](const Packet& packet) {
    std::visit(Counter{counts}, packet);
    return ingest::Accepted::kTaken;
  });
}

int descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  RealClock clock;
  ingest::IngestOptions options;
  options.fps = options.max_fps = kEveryPicture;
  options.isolation.on = true;
  options.isolation.patience = from_seconds(argc > 1 ? std::atof(argv[1]) : 30);
  options.isolation.computing = 4 * options.isolation.patience;
  for (std::string line; std::getline(std::cin, line);) {
    Counts counts;
    const SteadyTime begun = clock.now();
    const Status ended = read(line, options, clock, counts);
    const boost::json::object outcome{{"code", ended ? "" : to_string(ended.error().code)},
                                      {"message", ended ? "" : ended.error().message},
                                      {"frames", counts.frames},
                                      {"sound", counts.sound},
                                      {"lines", counts.lines},
                                      {"damage", counts.damage},
                                      {"seconds", to_seconds(clock.now() - begun)},
                                      {"descriptors", descriptors()}};
    std::puts(boost::json::serialize(outcome).c_str());
    std::fflush(stdout);
  }
  return 0;
}
