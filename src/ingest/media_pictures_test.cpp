// Stills and video of many kinds come out upright and in their colours.

#include <array>

#include "test_support.h"

namespace braid::ingest {
namespace {

using ::testing::ElementsAre;
using testing::kH264;
using testing::kPicture;
using testing::make_media;
using testing::read_file;
using testing::see;
using testing::Seen;
using testing::SeenFrame;
using ::testing::SizeIs;
using testing::test_file;
using testing::write_file;

/// Red with a blue quarter at its top left.
const std::string kCorner = "-f lavfi -i color=red:s=64x32:r=5:d=1,drawbox=0:0:32:16:blue:fill ";

/// Where the blue quarter is: "tl", "tr", "bl" or "br".
std::string blue_corner(const SeenFrame& frame) {
  std::string found;
  for (const bool bottom : {false, true})
    for (const bool right : {false, true}) {
      const std::uint8_t* pixel = frame.pixel(right ? frame.width - 4 : 3, bottom ? frame.height - 4 : 3);
      if (pixel[2] > 128 && pixel[0] < 128) found += std::string(bottom ? "b" : "t") + (right ? "r" : "l");
    }
  return found;
}

std::string with_exif_orientation(const std::string& jpeg, int orientation) {
  std::string exif("Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\0\0\0\0\0\0\0\0", 32);
  exif[24] = static_cast<char>(orientation);
  std::string segment("\xff\xe1\0\0", 4);
  segment[3] = static_cast<char>(exif.size() + 2);
  return jpeg.substr(0, 2) + segment + exif + jpeg.substr(2);
}

TEST(MediaPictures, StandUprightByExif) {
  const std::string jpeg = read_file(make_media("corner.jpg", kCorner + "-frames:v 1 -q:v 1"));
  const std::array<const char*, 8> corners = {"tl", "tr", "br", "bl", "tl", "tr", "br", "bl"};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Seen seen = see(write_file("exif.jpg", with_exif_orientation(jpeg, orientation)));
    ASSERT_THAT(seen.frames, SizeIs(1)) << orientation;
    EXPECT_EQ(blue_corner(seen.frames[0]), corners[static_cast<std::size_t>(orientation - 1)]) << orientation;
    EXPECT_EQ(seen.frames[0].width, orientation < 5 ? 64 : 32) << orientation;
  }
}

TEST(MediaPictures, StandUprightByDisplayMatrix) {
  make_media("corner.mp4", kCorner + kH264);
  const std::array<std::pair<const char*, const char*>, 4> turns = {
      {{"0", "tl"}, {"90", "bl"}, {"180", "br"}, {"270", "tr"}}};
  for (const auto& [degrees, corner] : turns) {
    const Seen seen =
        see(make_media("turned.mp4", std::string("-i {corner.mp4} -c copy -metadata:s:v rotate=") + degrees));
    ASSERT_FALSE(seen.frames.empty());
    EXPECT_EQ(blue_corner(seen.frames[0]), corner) << degrees;
  }
}

TEST(MediaPictures, OfEveryCommonStillKindAreOneFrameAtZero) {
  for (const std::string name : {"s.png", "s.jpg", "s.bmp", "s.webp", "s.gif", "s.tiff"}) {
    const Seen seen = see(make_media(name, kPicture + "-frames:v 1"));
    ASSERT_TRUE(seen.status) << name << ": " << seen.status.error().message;
    EXPECT_THAT(seen.frame_times(), ElementsAre(0)) << name;
    EXPECT_EQ(seen.frames[0].width, 320) << name;
  }
}

TEST(MediaPictures, AreFoundByContentWhateverTheNameSays) {
  const std::string png = read_file(make_media("real.png", kPicture + "-frames:v 1"));
  EXPECT_THAT(see(write_file("wrong.mp3", png)).frames, SizeIs(1));
  EXPECT_THAT(see(write_file("%03d:odd name.jpg", png)).frames, SizeIs(1));
}

TEST(MediaPictures, WithAlphaAreOnBlack) {
  const Seen seen = see(make_media("alpha.png", "-f lavfi -i color=red@0.0:s=32x32,format=rgba -frames:v 1"));
  ASSERT_THAT(seen.frames, SizeIs(1));
  EXPECT_EQ(seen.frames[0].pixel(10, 10)[0], 0);
}

TEST(MediaPictures, LargerThanTheCapAreScaledDownAndSmallerOnesAreNot) {
  IngestOptions options;
  options.max_frame_side = 200;
  const Seen large = see(make_media("large.png", kPicture + "-frames:v 1"), options);
  EXPECT_EQ(large.frames.at(0).width, 200);
  EXPECT_EQ(large.frames.at(0).height, 113);
  options.max_frame_side = 4000;
  EXPECT_EQ(see(test_file("large.png"), options).frames.at(0).width, 320);
}

TEST(MediaPictures, OfEveryCommonVideoKindAreSeen) {
  const std::array<std::pair<const char*, const char*>, 6> kinds = {
      {{"v.webm", "-c:v libvpx"},
       {"v9.webm", "-c:v libvpx-vp9 -speed 8"},
       {"m.avi", "-c:v mjpeg"},
       {"p.mkv", "-c:v ffv1 -pix_fmt yuv444p10"},
       {"a.gif", ""},
       {"m.mpg", "-c:v mpeg2video"}}};
  for (const auto& [name, settings] : kinds) {
    const Seen seen = see(make_media(name, "-f lavfi -i testsrc=s=101x67:r=25:d=1 " + std::string(settings)));
    ASSERT_TRUE(seen.status) << name << ": " << seen.status.error().message;
    EXPECT_THAT(seen.frames, SizeIs(2)) << name;
    EXPECT_EQ(seen.frames[0].width, 101) << name;
    double sum = 0;
    for (const std::uint8_t value : seen.frames[0].rgb) sum += value;
    EXPECT_NEAR(sum / static_cast<double>(seen.frames[0].rgb.size()), 122, 12) << name;
  }
}

TEST(MediaPictures, GetAnExtraFrameAtACut) {
  const Seen seen =
      see(make_media("cut.mp4",
                     "-f lavfi -i color=black:s=64x64:r=25:d=0.72 -f lavfi -i color=white:s=64x64:r=25:d=1 "
                     "-filter_complex '[0][1]concat=n=2' " +
                         kH264));
  EXPECT_THAT(seen.frame_times(), ElementsAre(0, 0.52, 0.72, 1, 1.52));
  EXPECT_TRUE(seen.frames.at(2).scene);
  EXPECT_FALSE(seen.frames.at(1).scene);
}

}  // namespace
}  // namespace braid::ingest
