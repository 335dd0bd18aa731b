#include "exif.h"

#include <gtest/gtest.h>

#include <string>

namespace braid::ingest::ffmpeg {
namespace {

int read(const std::string& bytes) {
  return exif_orientation({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

const std::string kLittle("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
const std::string kBig("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x08\0\0\0\0\0\0", 26);

TEST(Exif, TellsHowATiffWasHeldInEitherByteOrder) {
  EXPECT_EQ(read(kLittle), 6);
  EXPECT_EQ(read(kBig), 8);
}

TEST(Exif, IsFoundInAPngBehindOtherChunks) {
  const std::string chunk(
      "\0\0\0\0gAMA....\0\0\0\x1a"
      "eXIf",
      20);
  EXPECT_EQ(read("\x89PNG\r\n\x1a\n" + chunk + kLittle + "...."), 6);
}

TEST(Exif, SaysNothingOfOtherBytesWhereverTheyEnd) {
  for (std::size_t size = 0; size < 20; ++size) EXPECT_EQ(read(kLittle.substr(0, size)), 0) << size;
  EXPECT_EQ(read("\xff\xd8\xff\xe1 a JPEG"), 0);
  std::string absurd = kLittle;
  absurd[18] = 9;
  EXPECT_EQ(read(absurd), 0);
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
