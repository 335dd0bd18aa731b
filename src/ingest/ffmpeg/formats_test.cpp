#include "formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace braid::ingest::ffmpeg {
namespace {

using ::testing::HasSubstr;

std::span<const std::uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Status checked(const char* name, const std::string& head = "") {
  const AVInputFormat* format = av_find_input_format(name);
  EXPECT_NE(format, nullptr) << name;
  return check_format(*format, bytes(head), "x");
}

TEST(Formats, AreReadThatAreListedAndNoOthers) {
  for (const char* name : {"mov", "matroska", "mpegts", "wav", "png_pipe", "srt"})
    EXPECT_TRUE(checked(name)) << name;
  for (const char* name : {"hls", "concat", "sdp", "image2", "svg_pipe", "tty", "rtsp"}) {
    const Status status = checked(name);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kUnsupported) << name;
  }
}

TEST(Formats, AreRefusedInFormsThatFfmpegReadsNothingOf) {
  EXPECT_THAT(checked("mov", std::string("\0\0\0\x18", 4) + "ftypheic").error().message, HasSubstr("HEIF"));
  const std::string webp("RIFF....WEBPVP8X\x0a\0\0\0\x02\0\0\0", 24);
  EXPECT_THAT(checked("webp_pipe", webp).error().message, HasSubstr("animated"));
}

TEST(Formats, OfWavsTellThatTheyWereWrittenToAPipe) {
  const std::string head = "RIFF....WAVE" + std::string("fmt \x02\0\0\0..", 10) + "data";
  EXPECT_TRUE(is_wav_without_length(bytes(head + std::string(4, '\0'))));
  EXPECT_TRUE(is_wav_without_length(bytes(head + "\xff\xff\xff\xff")));
  EXPECT_FALSE(is_wav_without_length(bytes(head + std::string("\0\1\0\0", 4))));
  for (std::size_t size = 0; size < head.size(); ++size)
    EXPECT_FALSE(is_wav_without_length(bytes(head.substr(0, size))));
}

}  // namespace
}  // namespace braid::ingest::ffmpeg
