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

TEST(Utf8Test, WhatIsPrintedStaysOnItsLineAndCommandsNoTerminal) {
  EXPECT_EQ(printable("a na\xC3\xAFve \xF0\x9F\x8D\x95 \\n"), "a na\xC3\xAFve \xF0\x9F\x8D\x95 \\n");
  EXPECT_EQ(printable("a\nbraid: error: \x1b[31mred\r\t\x7f"),
            "a\\x0abraid: error: \\x1b[31mred\\x0d\\x09\\x7f");
  EXPECT_EQ(printable(std::string_view("\0z", 2)), "\\x00z");
  EXPECT_EQ(printable("\xC2\x9B\x31m \xC2\xA0"),
            "\\xc2\\x9b1m \xC2\xA0");  // C1's own escape; a space that isn't
  EXPECT_EQ(printable("caf\xE9 \xE4\xB8"), "caf\\xe9 \\xe4\\xb8");
}

}  // namespace
}  // namespace braid
