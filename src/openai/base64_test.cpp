#include "braid/openai/base64.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace braid::openai {
namespace {

using ::testing::HasSubstr;
using std::literals::string_literals::operator""s;

constexpr std::size_t kPlenty = 1U << 20;

std::string decoded(std::string_view text) {
  const auto bytes = decode_base64(text, kPlenty);
  EXPECT_TRUE(bytes) << text << ": " << (bytes ? "" : bytes.error().message);
  return bytes ? *bytes : "";
}

std::string why(std::string_view text) {
  const auto bytes = decode_base64(text, kPlenty);
  EXPECT_FALSE(bytes) << text;
  return bytes ? "" : bytes.error().message;
}

// From Python's base64.b64encode.
TEST(Base64, DecodesWhatPythonEncodes) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("TQ=="), "M");
  EXPECT_EQ(decoded("TWE="), "Ma");
  EXPECT_EQ(decoded("TWFu"), "Man");
  EXPECT_EQ(decoded("AP+A/w=="), "\x00\xFF\x80\xFF"s);
  EXPECT_EQ(decoded("8iEG"), "\xF2\x21\x06");
  EXPECT_EQ(decoded("8PPLTXY="), "\xF0\xF3\xCB\x4D\x76");
  EXPECT_EQ(
      decoded("TccHIFEVmg+J8sbayuNEuzESRf1vhN+a18Wz0HasDo9TpzVsiJE/IPb3LbAi0k0KltrUPBYXwamO").substr(47),
      "\x0A\x96\xDA\xD4\x3C\x16\x17\xC1\xA9\x8E"s);
}

TEST(Base64, ReadsBackAnyBytesOfAnyLength) {
  std::mt19937 random(1);
  for (std::size_t n = 0; n < 9000; n = n < 40 ? n + 1 : n * 3 / 2) {
    std::string bytes(n, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_EQ(decoded(encode_base64(bytes)), bytes) << n;
  }
}

TEST(Base64, TakesLineBreaksAnywhere) {
  EXPECT_EQ(decoded("Zm9v\r\nYmFy\r\n"), "foobar");
  EXPECT_EQ(decoded("\nZ\nm9\r\nvYg=\n=\n"), "foob");
  std::string lines;
  const std::string bytes(10'000, 'x');
  const std::string line = encode_base64(bytes);
  for (std::size_t at = 0; at < line.size(); at += 76) lines += line.substr(at, 76) + "\n";
  EXPECT_EQ(decoded(lines), bytes);
}

TEST(Base64, SaysWhereItGoesWrong) {
  EXPECT_THAT(why("Zm9v YmFy"), HasSubstr("not a character of base64 at character 4"));
  EXPECT_THAT(why("Zm9_"), HasSubstr("at character 3"));
  EXPECT_THAT(why("Zm9vY"), HasSubstr("the end came within a group"));
  EXPECT_THAT(why("TQ="), HasSubstr("the end came within a group"));
  EXPECT_THAT(why("T==="), HasSubstr("padding where data was expected"));
  EXPECT_THAT(why("TQ=="s + "TQ=="), HasSubstr("data after padding"));
  EXPECT_THAT(why("TQ=A"), HasSubstr("data after padding"));
  EXPECT_THAT(why("TR=="), HasSubstr("bits set that the padding leaves unused"));
  EXPECT_THAT(why("TWF="), HasSubstr("bits set that the padding leaves unused"));
  EXPECT_THAT(why("Zm9v\xC3\xA4=="), HasSubstr("at character 4"));
}

TEST(Base64, StopsAtTheBound) {
  const std::string text = encode_base64(std::string(10'000, 'x'));
  EXPECT_TRUE(decode_base64(text, 10'000));
  const auto refused = decode_base64(text, 9'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_EQ(decode_base64("TQ==", 0).error().code, ErrorCode::kLimit);
  EXPECT_TRUE(decode_base64("", 0));
}

TEST(DataUri, HoldsATypeAndBytes) {
  const auto uri = parse_data_uri("data:image/PNG;base64,Zm9vYg==", kPlenty);
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->mime, "image/png");
  EXPECT_EQ(uri->bytes, "foob");
}

TEST(DataUri, MayBeEscapedAndMayHaveParameters) {
  const auto plain = parse_data_uri("DATA:,A%20b%2c%00", kPlenty);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->mime, "text/plain");
  EXPECT_EQ(plain->bytes, "A b,\0"s);
  const auto encoded = parse_data_uri("data:audio/wav;codecs=1;charset=utf-8;BASE64,Zm9vYg%3D%3d", kPlenty);
  ASSERT_TRUE(encoded);
  EXPECT_EQ(encoded->mime, "audio/wav");
  EXPECT_EQ(encoded->bytes, "foob");
  EXPECT_EQ(parse_data_uri("data:;charset=utf-8,x", kPlenty)->mime, "text/plain");
}

TEST(DataUri, RefusesWhatIsNone) {
  for (const char* uri : {"", "data:", "data:image/png;base64", "date:,x", "data:image;base64,TQ==",
                          "data:/png,x", "data:image/,x", "data:im age/png,x", "data:image/png;base64,T",
                          "data:,%", "data:,%4", "data:,%4g", "data:image/png;base64,%zz"}) {
    const auto parsed = parse_data_uri(uri, kPlenty);
    EXPECT_FALSE(parsed) << uri;
    if (!parsed) {
      EXPECT_EQ(parsed.error().code, ErrorCode::kBadInput) << uri;
    }
  }
  EXPECT_EQ(parse_data_uri("data:,xyz", 2).error().code, ErrorCode::kLimit);
  EXPECT_EQ(parse_data_uri("data:;base64,Zm9v", 2).error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace braid::openai
