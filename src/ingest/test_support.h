#pragma once
// For tests alone: media made by the ffmpeg command, and everything that a source sends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "braid/base/clock.h"
#include "braid/ingest/open.h"

namespace braid::ingest::testing {

/// A folder of this process's own, removed with it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "braid_ingest_XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string test_file(const std::string& name) {
  static const TestFolder folder;
  return folder.file(name);
}

inline std::string write_file(const std::string& name, const std::string& content) {
  const std::string path = test_file(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `ffmpeg ARGUMENTS PATH`; {x} in the arguments is the test folder's file x. Needs the ffmpeg command.
inline std::string make_media(const std::string& name, std::string arguments) {
  const std::string path = test_file(name);
  for (std::size_t open = 0; (open = arguments.find('{', open)) != std::string::npos;) {
    const std::size_t close = arguments.find('}', open);
    const std::string input = test_file(arguments.substr(open + 1, close - open - 1));
    arguments.replace(open, close - open + 1, input);
    open += input.size();
  }
  const std::string command = "ffmpeg -nostdin -v error -y " + arguments + " " + path;
  EXPECT_EQ(std::system(command.c_str()), 0) << "this test needs the ffmpeg command: " << command;
  return path;
}

inline const std::string kPicture = "-f lavfi -i testsrc=s=320x180:r=25:d=2 ";
inline const std::string kTone = "-f lavfi -i sine=440:d=2:r=44100 ";
inline const std::string kH264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p ";

struct SeenFrame {
  double at = 0;
  int width = 0, height = 0;
  bool scene = false;
  StageTrace trace;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]

  const std::uint8_t* pixel(int x, int y) const { return rgb.data() + 3 * (y * width + x); }
};

struct Stretch {
  double start = 0, end = 0;
};

/// Everything a source sent, pictures copied.
struct Seen {
  SourceInfo info;
  Status status;
  std::vector<SeenFrame> frames;
  std::vector<float> samples;
  std::vector<Stretch> sound;  // without holes
  std::vector<TextLine> lines;
  std::vector<Reading> readings;
  std::vector<Damage> damage;
  std::vector<Bound> bounds;
  std::vector<std::string> broken_bounds;

  std::vector<double> frame_times() const {
    std::vector<double> times;
    for (const auto& frame : frames) times.push_back(frame.at);
    return times;
  }
};

/// Records packets and checks that each stream keeps its order and its bounds.
class Recorder {
 public:
  explicit Recorder(Seen& seen) : seen_(seen) { bound_.fill(SessionTime::min()); }

  void operator()(Packet packet) {
    std::visit([this](auto& content) { take(content); }, packet);
  }

 private:
  void check(StreamKind stream, SessionTime at, const char* what) {
    SessionTime& bound = bound_[static_cast<std::size_t>(stream)];
    if (at < bound)
      seen_.broken_bounds.push_back(std::string(what) + " at " + std::to_string(to_seconds(at)));
  }
  void take(Frame& frame) {
    check(StreamKind::kVideo, frame.captured, "frame");
    SeenFrame copy{to_seconds(frame.captured), frame.width, frame.height,
                   frame.scene_change,         frame.trace, {}};
    for (int y = 0; y < frame.height; ++y) {
      const std::uint8_t* row = frame.pixels.data() + static_cast<std::ptrdiff_t>(y) * frame.stride;
      copy.rgb.insert(copy.rgb.end(), row, row + 3 * frame.width);
    }
    seen_.frames.push_back(std::move(copy));
  }
  void take(AudioBlock& block) {
    check(StreamKind::kAudio, block.start, "sound");
    const double start = to_seconds(block.start), end = to_seconds(block.start + block.duration());
    if (seen_.sound.empty() || block.start != sound_end_)
      seen_.sound.push_back({start, end});
    else
      seen_.sound.back().end = end;
    sound_end_ = block.start + block.duration();
    seen_.samples.insert(seen_.samples.end(), block.samples.begin(), block.samples.end());
  }
  void take(TextLine& line) {
    check(StreamKind::kText, line.end, "line");
    seen_.lines.push_back(std::move(line));
  }
  void take(Reading& reading) {
    check(StreamKind::kReading, reading.at, "reading");
    seen_.readings.push_back(std::move(reading));
  }
  void take(Bound& bound) {
    check(bound.stream, bound.nothing_before, "bound");
    bound_[static_cast<std::size_t>(bound.stream)] = bound.nothing_before;
    seen_.bounds.push_back(bound);
  }
  void take(Damage& damage) { seen_.damage.push_back(std::move(damage)); }

  Seen& seen_;
  std::array<SessionTime, kStreamKinds> bound_;
  SessionTime sound_end_ = SessionTime::min();
};

/// Opens and reads it all; an error of either is in `status`.
inline Seen see(const std::string& spec_text, const IngestOptions& options, Clock& clock) {
  Seen seen;
  auto spec = parse_source_spec(spec_text);
  if (!spec) {
    seen.status = tl::unexpected(spec.error());
    return seen;
  }
  auto source = open_source(*spec, options, clock);
  if (!source) {
    seen.status = tl::unexpected(source.error());
    return seen;
  }
  seen.info = (*source)->info();
  Recorder record(seen);
  seen.status = (*source)->run(SourceId{0}, [&](Packet packet) {
    record(std::move(packet));
    return Accepted::kTaken;
  });
  EXPECT_THAT(seen.broken_bounds, ::testing::IsEmpty());
  return seen;
}

inline Seen see(const std::string& spec_text, const IngestOptions& options = {}) {
  RealClock clock;
  return see(spec_text, options, clock);
}

/// "" for success, else the code's name.
inline std::string code(const Status& status) { return status ? "" : to_string(status.error().code); }

}  // namespace braid::ingest::testing
