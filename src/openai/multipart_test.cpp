#include "braid/openai/multipart.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::openai {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kType = "multipart/form-data; boundary=XyZ";

std::string part(const std::string& headers, const std::string& body) {
  return "--XyZ\r\n" + headers + "\r\n\r\n" + body + "\r\n";
}
const std::string kField = "Content-Disposition: form-data; name=\"a\"";
const std::string kEnd = "--XyZ--\r\n";

std::vector<FormPart> parts_of(const std::string& body) {
  auto parts = parse_multipart(kType, body);
  EXPECT_TRUE(parts) << body << ": " << (parts ? "" : parts.error().message);
  return parts ? *parts : std::vector<FormPart>{};
}

TEST(Multipart, TakesAFormApart) {
  const std::string body =
      part(kField, "1") +
      part("content-type: Audio/WAV\r\nCONTENT-DISPOSITION:form-data;name=file; filename=\"a\\\"b.wav\"",
           std::string("\0\r\n--X\r\n", 8)) +
      kEnd;
  const auto parts = parts_of(body);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].name, "a");
  EXPECT_EQ(parts[0].body, "1");
  EXPECT_THAT(parts[0].filename, IsEmpty());
  EXPECT_EQ(parts[1].name, "file");
  EXPECT_EQ(parts[1].filename, "a\"b.wav");
  EXPECT_EQ(parts[1].content_type, "audio/wav");
  EXPECT_EQ(parts[1].body, std::string_view("\0\r\n--X\r\n", 8));
}

TEST(Multipart, KeepsBodiesAsTheyAre) {
  for (const std::string body : {"", "\r\n", "--", "--XyZ", "\r\n--XyZw\r\nx", "\r\n--Xy", "\n--XyZ\n"}) {
    const std::string form = part(kField, body) + kEnd;
    const auto parts = parts_of(form);
    ASSERT_THAT(parts, SizeIs(1)) << body;
    EXPECT_EQ(parts[0].body, body);
  }
}

TEST(Multipart, PassesOverPreambleEpilogueAndPadding) {
  const std::string form =
      "preamble --XyZ\r\n--XyZ \t\r\n" + kField + "\r\n\r\n1\r\n--XyZ--  epilogue\r\n--XyZ\r\n";
  const auto parts = parts_of(form);
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].body, "1");
}

TEST(Multipart, HasABoundaryOfTheStandardsAlphabet) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=a"), "a");
  EXPECT_EQ(multipart_boundary("Multipart/Form-Data ; charset=utf-8; BOUNDARY=\"a b'()+_,-./:=?\""),
            "a b'()+_,-./:=?");
  EXPECT_EQ(multipart_boundary("multipart/form-data"), "");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary="), "");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=\"a \""), "");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=a\"b"), "");
  EXPECT_EQ(multipart_boundary("multipart/mixed; boundary=a"), "");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=" + std::string(71, 'a')), "");
}

TEST(Multipart, RefusesBrokenForms) {
  const auto why = [](const std::string& body) {
    const auto parts = parse_multipart(kType, body);
    EXPECT_FALSE(parts) << body;
    return parts ? std::string() : parts.error().message;
  };
  EXPECT_THAT(why(""), HasSubstr("first boundary"));
  EXPECT_THAT(why("--XyZ"), HasSubstr("line's end"));
  EXPECT_THAT(why("--XyZx\r\n"), HasSubstr("line's end"));
  EXPECT_THAT(why("--XyZ\r\n" + kField), HasSubstr("within a part's headers"));
  EXPECT_THAT(why("--XyZ\r\n" + kField + "\r\n\r\nabc"), HasSubstr("within a part"));
  EXPECT_THAT(why(part("X: y", "1") + kEnd), HasSubstr("no name"));
  EXPECT_THAT(why(part(kField + "\r\nX: " + std::string(5'000, 'x'), "1") + kEnd), HasSubstr("too long"));
  EXPECT_FALSE(parse_multipart("application/json", kEnd));
  std::string many;
  for (int i = 0; i < 65; ++i) many += part(kField, "1");
  EXPECT_THAT(why(many + kEnd), HasSubstr("more than 64"));
}

}  // namespace
}  // namespace braid::openai
