// When packets come out: pacing, waiting for slots, stopping, pipes and HTTP.

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "braid/base/virtual_clock.h"
#include "test_support.h"

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;
using testing::kH264;
using testing::kPicture;
using testing::kTone;
using testing::make_media;
using testing::read_file;
using testing::see;
using testing::Seen;
using ::testing::SizeIs;
using testing::test_file;

std::string clip() {
  static const std::string path = make_media("pace.mkv", kPicture + kTone + kH264 + "-c:a pcm_s16le");
  return path;
}

std::unique_ptr<Source> opened(const std::string& spec, const IngestOptions& options, Clock& clock) {
  auto source = open_source(*parse_source_spec(spec), options, clock);
  EXPECT_TRUE(source) << source.error().message;
  return source ? *std::move(source) : nullptr;
}

TEST(MediaPace, LetsPacketsOutWhenTheirTimeHasComeUnderRealtime) {
  VirtualClock clock;
  IngestOptions options;
  options.realtime = true;
  options.session_start = [] { return SteadyTime(Milliseconds(500)); };
  const auto source = opened(clip(), options, clock);
  std::vector<std::int64_t> frames_ms;
  Nanoseconds latest_sound{};
  ASSERT_TRUE(source->run(SourceId{0}, [&](Packet packet) {
    const Nanoseconds now = clock.now() - SteadyTime(Milliseconds(500));
    if (const auto* frame = std::get_if<Frame>(&packet)) {
      frames_ms.push_back(now / Milliseconds(1));
      EXPECT_EQ(frame->trace.begin(), clock.now());
    }
    if (const auto* block = std::get_if<AudioBlock>(&packet)) {
      const Nanoseconds end = (block->start + block->duration()).time_since_epoch();
      latest_sound = std::max(latest_sound, now - end);
      EXPECT_GE(now, end);
    }
    return Accepted::kTaken;
  }));
  EXPECT_THAT(frames_ms, ElementsAre(0, 520, 1000, 1520));
  EXPECT_LE(latest_sound, Milliseconds(50));
}

TEST(MediaPace, TakesNoTimeOtherwise) {
  VirtualClock clock;
  EXPECT_THAT(see(clip(), {}, clock).frames, SizeIs(4));
  EXPECT_EQ(clock.now(), SteadyTime{});
}

TEST(MediaPace, StopsWhileItWaitsForItsTime) {
  VirtualClock clock;
  IngestOptions options;
  options.realtime = true;
  const auto source = opened(clip(), options, clock);
  Status status;
  Thread runner(clock, "source",
                [&] { status = source->run(SourceId{0}, [](Packet) { return Accepted::kTaken; }); });
  clock.sleep_for(Milliseconds(700));
  source->stop();
  runner.join();
  EXPECT_TRUE(status);
  EXPECT_EQ(clock.now(), SteadyTime(Milliseconds(700)));
}

TEST(MediaPace, EndsWhenTheReceiverCloses) {
  RealClock clock;
  const auto source = opened(clip(), {}, clock);
  int packets = 0;
  EXPECT_TRUE(
      source->run(SourceId{0}, [&](Packet) { return ++packets < 3 ? Accepted::kTaken : Accepted::kClosed; }));
  EXPECT_EQ(packets, 3);
}

TEST(MediaPace, WaitsForASlotWhereNothingIsLive) {
  VirtualClock clock;
  IngestOptions options;
  options.frame_slots = 1;
  const auto source = opened(clip(), options, clock);
  Slot held;
  int frames = 0;
  std::size_t damage = 0;
  std::vector<Thread> holders;
  ASSERT_TRUE(source->run(SourceId{0}, [&](Packet packet) {
    damage += std::holds_alternative<Damage>(packet);
    if (auto* frame = std::get_if<Frame>(&packet)) {
      ++frames;
      held = std::move(frame->pixels);
      holders.emplace_back(clock, "holder", [&] {
        clock.sleep_for(Milliseconds(100));
        held.reset();
      });
    }
    return Accepted::kTaken;
  }));
  holders.clear();
  EXPECT_EQ(frames, 4);
  EXPECT_EQ(damage, 0U);
  EXPECT_GE(clock.now(), SteadyTime(Milliseconds(300)));
}

TEST(MediaPace, DropsFramesWithoutASlotUnderRealtimeAndCountsThem) {
  VirtualClock clock;
  IngestOptions options;
  options.realtime = true;
  options.frame_slots = 1;
  const auto source = opened(clip(), options, clock);
  std::vector<Frame> held;
  std::vector<Damage> damage;
  ASSERT_TRUE(source->run(SourceId{0}, [&](Packet packet) {
    if (auto* frame = std::get_if<Frame>(&packet)) held.push_back(std::move(*frame));
    if (auto* fault = std::get_if<Damage>(&packet)) damage.push_back(std::move(*fault));
    return Accepted::kTaken;
  }));
  EXPECT_THAT(held, SizeIs(1));
  ASSERT_THAT(damage, SizeIs(2));
  EXPECT_EQ(damage[0].error.code, ErrorCode::kFull);
  EXPECT_THAT(damage[1].error.message, ::testing::HasSubstr("1 more"));
}

/// Writes all of `bytes` to a named pipe, from a thread.
class PipeWriter {
 public:
  PipeWriter(const std::string& path, std::string bytes)
      : thread_([path, bytes = std::move(bytes)] {
          const int pipe = ::open(path.c_str(), O_WRONLY);
          for (std::size_t done = 0; done < bytes.size();) {
            const ssize_t written = ::write(pipe, bytes.data() + done, bytes.size() - done);
            if (written <= 0) break;
            done += static_cast<std::size_t>(written);
          }
          ::close(pipe);
        }) {}
  ~PipeWriter() { thread_.join(); }

 private:
  std::thread thread_;
};

TEST(MediaPace, ReadsPipesLikeFiles) {
  const std::string path = test_file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const PipeWriter writer(path, read_file(clip()));
  const Seen seen = see(path);
  EXPECT_TRUE(seen.status);
  EXPECT_EQ(seen.frame_times(), see(clip()).frame_times());
  EXPECT_NEAR(seen.sound.at(0).end, 2, 0.01);
}

TEST(MediaPace, StampsALivePipeByArrival) {
  const std::string path = test_file("live_pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const PipeWriter writer(path, read_file(clip()));
  VirtualClock clock(SteadyTime(std::chrono::seconds(9)));
  IngestOptions options;
  options.session_start = [] { return SteadyTime(std::chrono::seconds(2)); };
  const Seen seen = see("live=1,file=" + path, options, clock);
  EXPECT_TRUE(seen.info.live);
  EXPECT_THAT(seen.frame_times(), ElementsAre(7, 7.52, 8, 8.52));
  EXPECT_NEAR(seen.sound.at(0).start, 7, 0.001);
  EXPECT_THAT(seen.info.description, ::testing::HasSubstr("from arrival"));
}

/// Answers every HTTP request on a port of its own with `bytes`.
class HttpServer {
 public:
  explicit HttpServer(std::string bytes)
      : bytes_(std::move(bytes)), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 4), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HttpServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  int port() const { return port_; }

 private:
  void serve() {
    for (int client = 0; (client = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(client)) {
      std::string request;
      char byte = 0;
      while (!request.ends_with("\r\n\r\n") && ::recv(client, &byte, 1, 0) == 1) request += byte;
      const bool found = request.starts_with("GET /clip.mkv ");
      const std::string head =
          found ? "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(bytes_.size()) + "\r\n\r\n"
                : "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
      const std::string answer = found ? head + bytes_ : head;
      for (std::size_t done = 0; done < answer.size();) {
        const ssize_t sent = ::send(client, answer.data() + done, answer.size() - done, MSG_NOSIGNAL);
        if (sent <= 0) break;
        done += static_cast<std::size_t>(sent);
      }
    }
  }

  std::string bytes_;
  int socket_;
  int port_ = 0;
  std::thread thread_;
};

TEST(MediaPace, ReadsHttp) {
  const HttpServer server(read_file(clip()));
  const std::string base = "http://127.0.0.1:" + std::to_string(server.port());
  const Seen seen = see(base + "/clip.mkv");
  ASSERT_TRUE(seen.status) << seen.status.error().message;
  EXPECT_EQ(seen.frame_times(), see(clip()).frame_times());
  const Seen missing = see(base + "/other.mkv");
  EXPECT_EQ(testing::code(missing.status), "not_found");
}

}  // namespace
}  // namespace braid::ingest
