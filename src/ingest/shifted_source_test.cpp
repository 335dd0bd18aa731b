#include "shifted_source.h"

#include "test_support.h"

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;
using testing::kH264;
using testing::kPicture;
using testing::kTone;
using testing::make_media;
using testing::see;
using testing::write_file;

std::string described(const std::string& path, const std::string& shift) {
  return "file=" + path + ",shift=" + shift;
}

TEST(ShiftedSource, MovesPicturesSoundAndBounds) {
  const std::string path = make_media("shift.mp4", kPicture + kTone + kH264 + "-c:a aac -shortest");
  const auto plain = see(path);
  const auto later = see(described(path, "250"));
  ASSERT_FALSE(plain.frames.empty());
  ASSERT_EQ(later.frames.size(), plain.frames.size());
  EXPECT_NEAR(later.frames.back().at, plain.frames.back().at + 0.25, 1e-6);
  EXPECT_NEAR(later.sound.front().start, plain.sound.front().start + 0.25, 1e-6);
  EXPECT_TRUE(later.broken_bounds.empty());
  const auto earlier = see(described(path, "-750"));
  ASSERT_FALSE(earlier.frames.empty() || earlier.sound.empty());
  EXPECT_NEAR(earlier.frames.back().at, plain.frames.back().at - 0.75, 1e-6);
  EXPECT_GE(earlier.frames.front().at, 0) << "what was before the session is left out";
  EXPECT_LT(earlier.frames.size(), plain.frames.size());
  EXPECT_NEAR(earlier.sound.front().start, 0, 1e-6);
  EXPECT_NEAR(earlier.sound.back().end, plain.sound.back().end - 0.75, 2e-3);
  EXPECT_TRUE(earlier.broken_bounds.empty());
}

TEST(ShiftedSource, MovesReadings) {
  const std::string path = write_file("shift.csv", "time_ms,a\n0,1\n100,2\n2000,3\n");
  const auto seen = see("kind=sensor," + described(path, "-100"));
  std::vector<std::int64_t> times;
  for (const Reading& reading : seen.readings) times.push_back(to_us(reading.at));
  EXPECT_THAT(times, ElementsAre(0, 1'900'000));
}

TEST(ShiftedSource, IsAWholeNumberOfMilliseconds) {
  const auto spec = parse_source_spec("file=a.mp4,shift=-120");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->shift, -Milliseconds(120));
  for (const char* wrong : {"x", "1.5", "90000000", ""})
    EXPECT_FALSE(parse_source_spec(std::string("file=a.mp4,shift=") + wrong)) << wrong;
}

}  // namespace
}  // namespace braid::ingest
