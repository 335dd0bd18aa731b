// What becomes of an input whose decoder crashes, hangs, lies or breaks out. scripted_worker_main.cpp is that
// decoder.

#include "isolate/isolated_source.h"

#include <dirent.h>
#include <signal.h>

#include <fstream>

#include "isolate/confine.h"
#include "isolate/wire.h"
#include "test_support.h"

namespace braid::ingest::isolate {
namespace {

using testing::code;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_media;
using testing::see;
using testing::Seen;
using ::testing::SizeIs;
using testing::write_file;

IngestOptions isolated(const std::string& worker = BRAID_WORKER) {
  IngestOptions options;
  options.isolation.on = true;
  options.isolation.worker = worker;
  return options;
}

IngestOptions scripted() {
  IngestOptions options = isolated(BRAID_SCRIPTED_WORKER);
  options.isolation.patience = Milliseconds(500);
  return options;
}

Seen see_script(const std::string& script, const IngestOptions& options = scripted()) {
  return see(write_file("script.mp4", script), options);
}

std::string hex(const std::string& bytes) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<std::uint8_t>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

std::size_t descriptors() {
  std::size_t count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

int parent_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::atoi(text.c_str() + text.rfind(')') + 4);
}

TEST(IsolatedSource, GivesWhatTheSameFileGivesInProcess) {
  const std::string clip =
      make_media("both.mp4", testing::kPicture + testing::kTone + testing::kH264 + "-c:a aac");
  const Seen here = see(clip), there = see(clip, isolated());
  ASSERT_TRUE(there.status) << there.status.error().message;
  ASSERT_THAT(there.frames, SizeIs(here.frames.size()));
  for (std::size_t i = 0; i < here.frames.size(); ++i) {
    EXPECT_EQ(there.frames[i].at, here.frames[i].at);
    EXPECT_EQ(there.frames[i].rgb, here.frames[i].rgb);
  }
  EXPECT_EQ(there.samples, here.samples);
  EXPECT_EQ(there.info.description, here.info.description);
  EXPECT_EQ(there.info.duration, here.info.duration);
}

TEST(IsolatedSource, ReadsSubtitlesAndLeavesLogsWhereTheyAre) {
  const Seen words = see(write_file("words.srt", "1\n00:00:01,000 --> 00:00:02,000\nhello\n"), isolated());
  ASSERT_THAT(words.lines, SizeIs(1));
  EXPECT_EQ(words.lines[0].text, "hello");
  EXPECT_THAT(see(write_file("log.csv", "t_s,a\n1,2\n"), isolated("/nowhere")).readings, SizeIs(1));
}

TEST(IsolatedSource, RefusesAsInProcess) {
  const std::string garbage = write_file("garbage.mp4", std::string(50'000, 'x'));
  EXPECT_EQ(see(garbage, isolated()).status.error().message, see(garbage).status.error().message);
  EXPECT_EQ(code(see("/nowhere.mp4", isolated()).status), "not_found");
}

TEST(IsolatedSource, CanBeLeftOutForWhatIsTrusted) {
  const std::string clip = make_media("trusted.mp4", testing::kPicture + testing::kH264);
  EXPECT_EQ(code(see(clip, isolated("/nowhere")).status), "resource");
  EXPECT_TRUE(see("isolate=off,file=" + clip, isolated("/nowhere")).status);
  EXPECT_EQ(code(see("isolate=on,file=" + clip,
                     [] {
                       IngestOptions options = isolated("/nowhere");
                       options.isolation.on = false;
                       return options;
                     }())
                     .status),
            "resource");
}

TEST(IsolatedSource, OfACrashIsASentenceThatSaysSoAndWhen) {
  for (const char* verb : {"segv", "abort"}) {
    const Seen opening = see_script(std::string(verb) + "\nrun\n");
    EXPECT_EQ(code(opening.status), "bad_input") << verb;
    EXPECT_THAT(opening.status.error().message, HasSubstr("while it was opened"));
    const Seen running = see_script("run\nframe 8\nframe 8\n" + std::string(verb) + "\n");
    EXPECT_THAT(running.frames, SizeIs(2)) << "what came before is used";
    EXPECT_EQ(code(running.status), "bad_input");
    EXPECT_THAT(running.status.error().message, HasSubstr("crashed ("));
    EXPECT_THAT(running.status.error().message, HasSubstr("after 0.10 s of it; "));
  }
  EXPECT_THAT(see_script("run\nexit 3\n").status.error().message, HasSubstr("ended by itself (3)"));
  EXPECT_EQ(code(see_script("throw\n").status), "bad_input");
}

TEST(IsolatedSource, ThatComputesOrSleepsForEverIsEnded) {
  EXPECT_THAT(see_script("spin\n").status.error().message, HasSubstr("computed for 0.5 s"));
  EXPECT_EQ(code(see_script("run\nframe 8\nspin\n").status), "limit");
  EXPECT_THAT(see_script("run\nsleep\n").status.error().message, HasSubstr("gave nothing for 1.0 s"));
  IngestOptions options = scripted();
  options.isolation.patience = std::chrono::seconds(30);
  options.isolation.computing = std::chrono::seconds(1);
  EXPECT_THAT(see_script("run\nspin\n", options).status.error().message,
              HasSubstr("as much as may be spent"));
}

TEST(IsolatedSource, GetsNoMoreMemoryThanItsBound) {
  if (kSanitized) GTEST_SKIP() << "sanitizers map terabytes";
  IngestOptions options = scripted();
  options.isolation.memory_bytes = 100 << 20;
  options.isolation.patience = std::chrono::seconds(30);
  const Seen seen = see_script("run\nframe 8\neat\n", options);
  EXPECT_EQ(code(seen.status), "limit");
  EXPECT_THAT(seen.status.error().message, HasSubstr("104857600 bytes"));
  EXPECT_THAT(seen.frames, SizeIs(1));
}

TEST(IsolatedSource, CanReachNothing) {
  for (const char* verb : {"socket", "fork", "ptrace", "exec", "kill"}) {
    const Seen seen = see_script("run\nframe 8\n" + std::string(verb) + "\n");
    EXPECT_EQ(code(seen.status), "bad_input") << verb;
    EXPECT_THAT(seen.status.error().message, HasSubstr("tried what no decoder has to do")) << verb;
  }
  EXPECT_TRUE(see_script("run\nfile\n").status) << "files can't be opened, which libraries try";
}

TEST(IsolatedSource, KilledFromOutsideCanBeTriedAgain) {
  RealClock clock;
  const auto spec = parse_source_spec(write_file("killed.mp4", "run\nline\nsleep\n"));
  auto source = open_source(*spec, scripted(), clock);
  ASSERT_TRUE(source);
  const Status ran = (*source)->run(SourceId{0}, [](const Packet& packet) {
    kill(std::stoi(std::get<TextLine>(packet).text), SIGKILL);
    return Accepted::kTaken;
  });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, ErrorCode::kResource);
  EXPECT_TRUE(ran.error().retryable);
}

TEST(IsolatedSource, OutlivesTheGuardThatStartsWorkers) {
  RealClock clock;
  const auto spec = parse_source_spec(write_file("guard.mp4", "run\nline\nsleep\n"));
  auto source = open_source(*spec, scripted(), clock);
  ASSERT_TRUE(source);
  const Status ran = (*source)->run(SourceId{0}, [](const Packet& packet) {
    kill(parent_of(std::stoi(std::get<TextLine>(packet).text)), SIGKILL);
    return Accepted::kTaken;
  });
  EXPECT_EQ(code(ran), "resource") << "its workers die with it";
  EXPECT_THAT(see_script("run\nframe 8\n").frames, SizeIs(1)) << "it is started again";
}

TEST(IsolatedSource, StopsWhenItIsTold) {
  RealClock clock;
  const auto spec = parse_source_spec(write_file("stop.mp4", "run\nframe 8\nsleep\n"));
  auto source = open_source(*spec, scripted(), clock);
  ASSERT_TRUE(source);
  EXPECT_TRUE((*source)->run(SourceId{0}, [&](const Packet&) {
    (*source)->stop();
    return Accepted::kTaken;
  }));
}

TEST(IsolatedSource, TakesNoLies) {
  const auto raw = [](const FromWorker& message) { return "raw " + hex(encode(message)) + "\n"; };
  const SentFrame good{1, 0, SessionTime(Milliseconds(1)), {}, 8, 8, 24, false, {}};
  const auto changed = [&](auto change) {
    SentFrame frame = good;
    change(frame);
    return raw(frame);
  };
  const std::vector<std::string> lies = {
      raw(good),  // of a pool that it never got
      "frame 8\n" + changed([](SentFrame& f) { f.slot = 99; }),
      "frame 8\n" + changed([](SentFrame& f) { f.pool = 2; }),
      "frame 8\n" + changed([](SentFrame& f) { f.height = 1000; }),
      "frame 8\n" + changed([](SentFrame& f) { f.width = -8; }),
      "frame 8\n" + changed([](SentFrame& f) { f.stride = 8; }),
      "frame 8\n" + changed([](SentFrame& f) { f.captured = SessionTime(Milliseconds(-1)); }),
      raw(WantPool{std::uint64_t{1} << 40}),
      raw(WantPool{0}),
      raw(Opened{}),
      raw(Observed{}),
      raw(SentDamage{{}, {ErrorCode::kFull, std::string(100'000, 'x')}, false}),
      raw(SentLine{{}, SessionTime(Milliseconds(5)), {}, "\xff", {}}),
      raw(SentSound{{}, {}, 16000, {0.5F, std::numeric_limits<float>::quiet_NaN()}, {}}),
      raw(SentBound{StreamKind::kVideo, SessionTime(std::chrono::seconds(9))}) + "frame 8\n",
      "raw 63\n",
      "raw " + hex(encode(FromWorker(WantPool{8})) + "more") + "\n",
  };
  for (const std::string& lie : lies) {
    const Seen seen = see_script("run\n" + lie + "sleep\n");
    EXPECT_EQ(code(seen.status), "bad_input") << lie;
    EXPECT_THAT(seen.status.error().message, HasSubstr(" sent ")) << lie;
  }
  EXPECT_EQ(code(see_script(raw(SentBound{}) + "run\n").status), "bad_input") << "before it was asked to";
}

TEST(IsolatedSource, OfWhateverEndLeavesNothingOpen) {
  see_script("run\nframe 8\n");  // the guard stays
  const std::size_t before = descriptors();
  for (const char* script :
       {"segv\n", "run\nframe 8\nabort\n", "run\nframe 8\nframe 900\n", "exit 1\n", "run\nraw 63\n"})
    for (int round = 0; round < 5; ++round) see_script(script);
  EXPECT_EQ(descriptors(), before);
}

TEST(IsolatedSource, KeepsPicturesForWhoHoldsThemWhenItIsGone) {
  RealClock clock;
  std::vector<Frame> held;
  {
    const auto spec = parse_source_spec(write_file("held.mp4", "run\nframe 8\nframe 90\nframe 200\nsegv\n"));
    auto source = open_source(*spec, scripted(), clock);
    ASSERT_TRUE(source);
    EXPECT_FALSE((*source)->run(SourceId{0}, [&](Packet packet) {
      if (auto* frame = std::get_if<Frame>(&packet)) held.push_back(std::move(*frame));
      return Accepted::kTaken;
    }));
  }
  ASSERT_THAT(held, SizeIs(3));
  EXPECT_EQ(held[1].pixels.data()[3 * 90 * 90 - 1], 1);
  EXPECT_EQ(held[2].pixels.data()[3 * 200 * 200 - 1], 2);
}

}  // namespace
}  // namespace braid::ingest::isolate
