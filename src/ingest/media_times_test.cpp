// What the container says when: frames, sound, origins, holes, resets. ffprobe is the second opinion.

#include <cstdio>
#include <memory>

#include "test_support.h"

namespace braid::ingest {
namespace {

using testing::code;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kH264;
using testing::kPicture;
using testing::kTone;
using testing::make_media;
using testing::see;
using testing::Seen;
using ::testing::SizeIs;

constexpr double kMs = 0.001;

IngestOptions every_frame() {
  IngestOptions options;
  options.fps = options.max_fps = 1000;
  return options;
}

/// Frame times by ffprobe, in seconds.
std::vector<double> probed_times(const std::string& path) {
  const std::string command =
      "ffprobe -v error -select_streams v:0 -show_entries frame=best_effort_timestamp_time -of csv=p=0 " +
      path;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<double> times;
  for (double time = 0; std::fscanf(pipe.get(), "%lf%*[^\n]", &time) == 1;) times.push_back(time);
  return times;
}

void expect_times(const std::vector<double>& got, const std::vector<double>& wanted, double offset = 0) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i] - offset, kMs) << "frame " << i;
}

TEST(MediaTimes, OfTheSampleClipAreItsContainers) {
  const std::string clip = "models/nano/samples/clip.mp4";
  const Seen seen = see(clip, every_frame());
  ASSERT_TRUE(seen.status) << seen.status.error().message;
  EXPECT_GT(seen.frames.size(), 20U);
  expect_times(seen.frame_times(), probed_times(clip));
  ASSERT_THAT(seen.sound, SizeIs(1));
  EXPECT_NEAR(seen.sound[0].start, 0, kMs);
  EXPECT_NEAR(seen.sound[0].end, to_seconds(seen.info.duration), 0.1);
  EXPECT_THAT(seen.damage, IsEmpty());
}

TEST(MediaTimes, AreSampledOnTheGridByDefault) {
  const Seen seen = see(make_media("grid.mp4", kPicture + kTone + kH264 + "-c:a aac"));
  EXPECT_THAT(seen.frame_times(), ElementsAre(0, 0.52, 1, 1.52));
  EXPECT_TRUE(seen.info.streams[0] && seen.info.streams[1]);
  EXPECT_NEAR(to_seconds(seen.info.duration), 2, 0.05);
}

TEST(MediaTimes, OfVariableRatesAndReorderedPicturesAreTheContainers) {
  const std::string path =
      make_media("vfr.mkv",
                 "-f lavfi -i testsrc=s=160x90:r=50:d=3,select='not(mod(n\\,7))+gt(n\\,100)' "
                 "-fps_mode passthrough -c:v libx264 -bf 3");
  expect_times(see(path, every_frame()).frame_times(), probed_times(path));
}

TEST(MediaTimes, KeepLateSoundLate) {
  const Seen seen =
      see(make_media("late.mkv", kPicture + "-itsoffset 1.25 " + kTone + kH264 + "-c:a pcm_s16le"));
  ASSERT_THAT(seen.sound, SizeIs(1));
  EXPECT_NEAR(seen.sound[0].start, 1.25, kMs);
  EXPECT_NEAR(seen.sound[0].end, 3.25, kMs);
  EXPECT_NEAR(seen.frames.front().at, 0, kMs);
}

TEST(MediaTimes, HaveOneOriginWhereAFileStartsLate) {
  make_media("early.mkv", kPicture + kTone + kH264 + "-c:a pcm_s16le");
  const std::string path = make_media("offset.mkv", "-itsoffset 5 -i {early.mkv} -c copy");
  const Seen seen = see(path, every_frame());
  expect_times(seen.frame_times(), probed_times(path), 5);
  EXPECT_NEAR(seen.sound.at(0).start, 0, kMs);
  EXPECT_NEAR(to_seconds(seen.info.duration), 2, 0.05);
  EXPECT_THAT(seen.info.description, ::testing::HasSubstr("session 0 is 5.000 s"));
  EXPECT_THAT(seen.damage, IsEmpty());
}

TEST(MediaTimes, KeepHolesInSoundAndPictures) {
  const Seen seen = see(make_media("hole.mkv",
                                   "-f lavfi -i testsrc=s=160x90:r=25:d=4,select='not(between(t\\,1\\,2.5))' "
                                   "-f lavfi -i aevalsrc='sin(2765*t):d=4',aselect='not(between(t\\,1\\,2))' "
                                   "-fps_mode passthrough " +
                                       kH264 + "-c:a pcm_s16le"));
  ASSERT_THAT(seen.sound, SizeIs(2));
  EXPECT_NEAR(seen.sound[0].end, 1, 0.03);
  EXPECT_NEAR(seen.sound[1].start, 2, 0.03);
  EXPECT_NEAR(seen.sound[1].end, 4, 0.03);
  EXPECT_THAT(seen.frame_times(), ElementsAre(0, 0.52, 2.52, 3, 3.52));
}

TEST(MediaTimes, GoOnWhereJoinedTransportStreamsBeginAgain) {
  const std::string one = make_media("one.ts", kPicture + kTone + kH264 + "-bf 2 -c:a mp2");
  const std::string two =
      make_media("two.ts", "-f lavfi -i testsrc=s=160x120:r=25:d=2 " + kTone + kH264 + "-c:a mp2");
  const Seen seen =
      see(testing::write_file("joined.ts", testing::read_file(one) + testing::read_file(two)), every_frame());
  ASSERT_GE(seen.frames.size(), 98U);
  for (std::size_t i = 1; i < seen.frames.size(); ++i)
    EXPECT_NEAR(seen.frames[i].at - seen.frames[i - 1].at, 0.04, 0.1) << i;
  EXPECT_EQ(seen.frames.front().width, 320);
  EXPECT_EQ(seen.frames.back().width, 160);
  EXPECT_NEAR(seen.frames.back().at, 4, 0.15);
  EXPECT_NEAR(seen.sound.back().end, 4, 0.15);
}

TEST(MediaTimes, CountTheSoundOfEveryCommonKind) {
  const std::array<std::pair<const char*, const char*>, 5> kinds = {{{"m.wav", "-ar 8000 -ac 1"},
                                                                     {"s.flac", "-ar 48000 -ac 6"},
                                                                     {"a.mp3", "-ac 2"},
                                                                     {"o.ogg", "-ar 48000 -c:a libvorbis"},
                                                                     {"a.m4a", "-c:a aac"}}};
  for (const auto& [name, settings] : kinds) {
    const Seen seen = see(make_media(name, kTone + settings));
    ASSERT_TRUE(seen.status) << name << seen.status.error().message;
    ASSERT_THAT(seen.sound, SizeIs(1)) << name;
    EXPECT_NEAR(seen.sound[0].start, 0, 0.03) << name;
    EXPECT_NEAR(seen.sound[0].end, 2, 0.06) << name;
    EXPECT_THAT(seen.frames, IsEmpty()) << name;
    EXPECT_FALSE(seen.info.streams[0]) << name;
  }
}

TEST(MediaTimes, ThatAreSilentHoldNoOtherStream) {
  const Seen seen =
      see(make_media("short_sound.mkv", "-f lavfi -i testsrc=s=160x90:r=25:d=5 -f lavfi -i sine=440:d=1 " +
                                            kH264 + "-c:a pcm_s16le"));
  SessionTime sound{}, pictures{};
  for (const auto& bound : seen.bounds) {
    if (bound.stream == StreamKind::kAudio) sound = bound.nothing_before;
    if (bound.stream == StreamKind::kVideo && bound.nothing_before != SessionTime::max())
      pictures = bound.nothing_before;
    const bool after_sound = pictures > SessionTime(std::chrono::seconds(2));
    EXPECT_TRUE(!after_sound || sound >= pictures - Milliseconds(200)) << to_seconds(pictures);
  }
  EXPECT_EQ(sound, SessionTime::max());
}

TEST(MediaTimes, CanBeOfTheStreamsChosen) {
  const std::string path =
      make_media("many.mkv",
                 "-f lavfi -i testsrc=s=160x90:r=25:d=1 -f lavfi -i testsrc=s=80x60:r=25:d=1 "
                 "-f lavfi -i sine=440:d=1 -map 0 -map 1 -map 2 " +
                     kH264 + "-c:a pcm_s16le");
  EXPECT_EQ(see(path).frames.at(0).width, 160);
  EXPECT_EQ(see("video=1,file=" + path).frames.at(0).width, 80);
  EXPECT_THAT(see("kind=audio,file=" + path).frames, IsEmpty());
  EXPECT_THAT(see("kind=video,file=" + path).sound, IsEmpty());
  EXPECT_EQ(code(see("audio=1,file=" + path).status), "usage");
}

}  // namespace
}  // namespace braid::ingest
