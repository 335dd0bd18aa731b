#include "braid/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace braid {
namespace {

const std::string kReplaced = "\xEF\xBF\xBD";

TEST(Utf8Test, ValidTextStaysAsItIs) {
  const std::string text = "a\x01 \xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x8D\x95";
  EXPECT_EQ(to_valid_utf8(text), text);
  EXPECT_EQ(to_valid_utf8(""), "");
}

TEST(Utf8Test, EachBrokenSequenceBecomesOneReplacement) {
  EXPECT_EQ(to_valid_utf8("a\xFFz"), "a" + kReplaced + "z");
  EXPECT_EQ(to_valid_utf8("\x80"), kReplaced);
  EXPECT_EQ(to_valid_utf8("\xE4\xB8z"), kReplaced + "z");                       // cut short
  EXPECT_EQ(to_valid_utf8("\xC0\xAF"), kReplaced + kReplaced);                  // overlong
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced);  // surrogate
  EXPECT_EQ(to_valid_utf8("\xF4\x90\x80\x80").substr(0, 3), kReplaced);         // above U+10FFFF
  EXPECT_EQ(to_valid_utf8("x\xF0\x9F\x8D"), "x" + kReplaced);
}

TEST(Utf8Test, CharactersAreTakenWhenTheyAreComplete) {
  std::string bytes = "a\xE4\xB8";
  std::string text;
  take_characters(bytes, text);
  EXPECT_EQ(text, "a");
  EXPECT_EQ(bytes, "\xE4\xB8");
  bytes += "\xAD";
  take_characters(bytes, text);
  EXPECT_EQ(text, "a\xE4\xB8\xAD");
  EXPECT_EQ(bytes, "");
}

}  // namespace
}  // namespace braid
