// Broken, odd and hostile inputs: a sentence or damage, never a crash.

#include <random>

#include "test_support.h"

namespace braid::ingest {
namespace {

using testing::code;
using ::testing::HasSubstr;
using testing::kH264;
using testing::kPicture;
using testing::kTone;
using testing::make_media;
using testing::read_file;
using testing::see;
using testing::Seen;
using ::testing::SizeIs;
using testing::test_file;
using testing::write_file;

std::string fast_start_clip() {
  static const std::string bytes =
      read_file(make_media("fast.mp4", kPicture + kTone + kH264 + "-c:a aac -movflags +faststart"));
  return bytes;
}

TEST(MediaFaults, AreSentencesWhereNothingCanBeRead) {
  std::mt19937 random(1);
  std::string garbage(100'000, '\0');
  for (char& c : garbage) c = static_cast<char>(random());
  const std::string clip = read_file(make_media("plain.mp4", kPicture + kH264));
  const std::array<std::pair<std::string, const char*>, 6> cases = {{
      {test_file("missing.mp4"), "not_found"},
      {write_file("empty.mp4", ""), "bad_input"},
      {write_file("garbage.mp4", garbage), "bad_input"},
      {test_file("."), "bad_input"},
      {write_file("no_index.mp4", clip.substr(0, clip.size() / 2)), "bad_input"},
      {"/dev/null", "unsupported"},
  }};
  for (const auto& [path, wanted] : cases) {
    const Seen seen = see(path);
    EXPECT_EQ(code(seen.status), wanted) << path;
    ASSERT_FALSE(seen.status);
    EXPECT_THAT(seen.status.error().message, HasSubstr(path));
    EXPECT_THAT(seen.status.error().message, HasSubstr(";")) << "got; expected; cure";
  }
}

TEST(MediaFaults, OfTheNetworkAndDevicesAreSentences) {
  EXPECT_EQ(code(see("rtsp://127.0.0.1:1/x").status), "not_found");
  EXPECT_EQ(code(see("http://127.0.0.1:1/x.mp4").status), "not_found");
  EXPECT_EQ(code(see("v4l2:/dev/video99").status), "not_found");
}

TEST(MediaFaults, OfACutFileCostOnlyWhatIsMissing) {
  const std::string clip = fast_start_clip();
  const Seen seen = see(write_file("cut.mp4", clip.substr(0, clip.size() * 6 / 10)));
  EXPECT_TRUE(seen.status);
  EXPECT_GE(seen.frames.size(), 2U);
  ASSERT_FALSE(seen.damage.empty());
  EXPECT_EQ(seen.damage.back().error.code, ErrorCode::kBadInput);
}

TEST(MediaFaults, InsideAFileAreDamageWithATime) {
  std::string clip = read_file(make_media("damaged.ts", kPicture + kTone + kH264 + "-g 5 -c:a mp2"));
  std::mt19937 random(7);
  for (std::size_t i = clip.size() / 3; i < clip.size() / 2; ++i) clip[i] = static_cast<char>(random());
  const Seen seen = see(write_file("damaged.ts", clip));
  EXPECT_TRUE(seen.status);
  EXPECT_FALSE(seen.damage.empty());
  EXPECT_NEAR(seen.frames.back().at, 1.5, 0.3);
}

TEST(MediaFaults, NeverCrashWhateverByteIsWrong) {
  const std::string clip = fast_start_clip();
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::string changed = clip;
    for (int i = 0; i < 30; ++i)
      changed[random() % (i < 15 ? std::min<std::size_t>(4000, clip.size()) : clip.size())] =
          static_cast<char>(random());
    const Seen seen = see(write_file("changed.mp4", changed));
    EXPECT_TRUE(seen.status || seen.status.error().message.size() > 20) << round;
  }
}

TEST(MediaFaults, AreFoundBeforeTooLargePicturesAreDecoded) {
  const std::string path = make_media("large.png", kPicture + "-frames:v 1");
  IngestOptions options;
  options.limits.max_side = 300;
  EXPECT_EQ(code(see(path, options).status), "limit");
  options.limits.max_side = 8192;
  options.limits.max_pixels = 320 * 179;
  const Seen seen = see(path, options);
  EXPECT_FALSE(seen.status);
  EXPECT_TRUE(seen.frames.empty());
}

TEST(MediaFaults, OfAPictureThatGrowsTooLargeAreDamage) {
  const std::string small =
      read_file(make_media("small.ts", "-f lavfi -i testsrc=s=160x90:r=25:d=1 " + kH264));
  const std::string large =
      read_file(make_media("big.ts", "-f lavfi -i testsrc=s=640x360:r=25:d=1 " + kH264));
  IngestOptions options;
  options.limits.max_side = 320;
  const Seen seen = see(write_file("grows.ts", small + large), options);
  EXPECT_TRUE(seen.status);
  EXPECT_THAT(seen.frames, SizeIs(2));
  EXPECT_FALSE(seen.damage.empty());
}

TEST(MediaFaults, StopPlaylistsScriptsAndTooManyStreams) {
  EXPECT_EQ(
      code(see("kind=media,file=" + write_file("list", "ffconcat version 1.0\nfile '/etc/passwd'\n")).status),
      "unsupported");
  EXPECT_EQ(code(see("kind=media,file=" +
                     write_file("list.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n"))
                     .status),
            "unsupported");
  IngestOptions options;
  options.limits.max_streams = 1;
  const Seen seen = see(make_media("two.mkv", kPicture + kTone + kH264 + "-c:a aac"), options);
  EXPECT_EQ(code(seen.status), "limit");
}

TEST(MediaFaults, OfOptionsAreUsage) {
  IngestOptions options;
  options.fps = 0;
  EXPECT_EQ(code(see("x.mp4", options).status), "usage");
  options = {};
  options.frame_slots = 0;
  EXPECT_EQ(code(see("x.mp4", options).status), "usage");
}

}  // namespace
}  // namespace braid::ingest
