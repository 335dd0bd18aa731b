#include "braid/ingest/clip_writer.h"

#include "test_support.h"

namespace braid::ingest {
namespace {

using testing::see;
using testing::test_file;

std::vector<std::uint8_t> plain(int width, int height, std::uint8_t red, std::uint8_t blue) {
  std::vector<std::uint8_t> rgb;
  for (int i = 0; i < width * height; ++i) rgb.insert(rgb.end(), {red, 0, blue});
  return rgb;
}

TEST(ClipWriter, WritesPicturesAtTheirTimes) {
  const auto red = plain(64, 48, 250, 0);
  const auto blue = plain(32, 24, 0, 250);
  const std::string path = test_file("clip.mkv");
  ASSERT_TRUE(write_clip(path, {{Milliseconds(0), 64, 48, red.data()},
                                {Milliseconds(333), 64, 48, red.data()},
                                {Milliseconds(333), 64, 48, red.data()},
                                {Milliseconds(2000), 32, 24, blue.data()}}));
  IngestOptions options;
  options.fps = options.max_fps = 1000;
  const auto seen = see(path, options);
  ASSERT_EQ(seen.frames.size(), 4U);
  const std::vector<double> times = {0, 0.333, 0.334, 2.0};
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(seen.frames[i].at, times[i], 1e-6);
  EXPECT_GT(seen.frames[0].pixel(30, 20)[0], 200);
  EXPECT_EQ(seen.frames[3].width, 64) << "scaled to the first";
  EXPECT_GT(seen.frames[3].pixel(30, 20)[2], 200);
  EXPECT_TRUE(seen.damage.empty());
}

TEST(ClipWriter, LeavesNothingBehindWhereItCannotWrite) {
  const auto red = plain(16, 16, 250, 0);
  EXPECT_EQ(write_clip(test_file("none/x.mkv"), {{{}, 16, 16, red.data()}}).error().code,
            ErrorCode::kResource);
  EXPECT_EQ(write_clip(test_file("x.mkv"), {}).error().code, ErrorCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(test_file("x.mkv.part")));
}

}  // namespace
}  // namespace braid::ingest
