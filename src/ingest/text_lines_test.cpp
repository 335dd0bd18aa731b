#include "braid/ingest/text_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::ingest {
namespace {

using ::testing::HasSubstr;

LogRow row_of(const std::string& line) {
  auto row = parse_text_line(line);
  EXPECT_TRUE(row && *row) << line;
  return row && *row ? **row : LogRow{};
}

std::string error_of(const std::string& line) {
  auto row = parse_text_line(line);
  return row ? "" : row.error().message;
}

TEST(TextLines, TakesPlainWordsWithoutATime) {
  const LogRow row = row_of("  just words\t");
  EXPECT_EQ(row.text, "just words");
  EXPECT_FALSE(row.start);
}

TEST(TextLines, ReadsLeadingTimes) {
  EXPECT_EQ(row_of("[12.4s] the press closes").start->text, "12.4");
  EXPECT_EQ(row_of("[12.4s] the press closes").text, "the press closes");
  EXPECT_EQ(row_of("[01:02.5] sung").start->text, "62.5");
  EXPECT_EQ(row_of("[1:01:02] spoken").start->text, "3662");
}

TEST(TextLines, KeepsBracketsThatAreNoTime) {
  for (const std::string line : {"[note] x", "[12] x", "[1:2:3:4] x", "[:s] x", "[1.5:2] x", "[.s] x"}) {
    EXPECT_EQ(row_of(line).text, line);
    EXPECT_FALSE(row_of(line).start) << line;
  }
}

TEST(TextLines, ReadsJsonWithAnyTimeName) {
  const LogRow row = row_of(R"({"start_us":1000000,"end_us":2000000,"text":"one\ntwo","who":"x"})");
  EXPECT_EQ(row.text, "one two");
  EXPECT_EQ(row.start->text, "1000000");
  EXPECT_EQ(row.end->text, "2000000");
  EXPECT_EQ(row_of(R"({"time_s":1.5,"text":"a"})").start->unit, TimeUnit::kSeconds);
  EXPECT_EQ(row_of(R"({"t":1.5,"text":"a"})").start->unit, TimeUnit::kSeconds);
  EXPECT_EQ(row_of(R"({"t":15,"text":"a"})").start->unit, TimeUnit::kAuto);
}

TEST(TextLines, HasNoRowForNothing) {
  for (const std::string line : {"", "  ", R"({"t":1,"text":""})", "[1.0s]", "\x01\x02"}) {
    const auto row = parse_text_line(line);
    EXPECT_TRUE(row && !*row) << line;
  }
}

TEST(TextLines, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("\xc3("), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of("\xed\xa0\x80"), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of("\xc0\xaf"), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of("\xf4\x90\x80\x80"), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of(R"({"t":1})"), HasSubstr("text"));
  EXPECT_THAT(error_of(R"({"t":1,"text":7})"), HasSubstr("text"));
  EXPECT_THAT(error_of(R"({"t":1,"text":"a")"), HasSubstr("JSON"));
  EXPECT_THAT(error_of(std::string(kMaxTextBytes + 1, 'x')), HasSubstr("4097 bytes"));
  EXPECT_EQ(row_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80").text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace braid::ingest
