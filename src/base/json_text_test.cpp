#include "braid/base/json_text.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(JsonText, WhatAStringCanNotHoldIsEscaped) {
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted("a \"b\" \\ /"), R"("a \"b\" \\ /")");
  EXPECT_EQ(quoted("1\n2\r3\t4"), R"("1\n2\r3\t4")");
  EXPECT_EQ(quoted(std::string_view("\0\x1F\x7F", 3)), R"("\u0000\u001f\u007f")");
}

TEST(JsonText, IsAppended) {
  std::string out = "x:";
  append_quoted(out, "y");
  EXPECT_EQ(out, R"(x:"y")");
}

TEST(JsonText, CharactersGoAsTheyAreAndBrokenOnesAreReplaced) {
  EXPECT_EQ(quoted("\u00E9\U0001F600\n"), "\"\u00E9\U0001F600\\n\"");
  EXPECT_EQ(quoted("a\xC3"), "\"a\uFFFD\"");
}

}  // namespace
}  // namespace braid
