#include "braid/decode/text_stream.h"

#include <gtest/gtest.h>

namespace braid::decode {
namespace {

TEST(TextStream, shows_text_at_once_where_nothing_can_become_a_stop) {
  TextStream stream({"###"});
  EXPECT_EQ(stream.push("Hello"), "Hello");
  EXPECT_EQ(stream.push(" you"), " you");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, holds_a_character_back_until_it_is_whole) {
  TextStream stream({});
  EXPECT_EQ(stream.push("\xE2\x82"), "");
  EXPECT_EQ(stream.push("\xAC!"), "\xE2\x82\xAC!");
  EXPECT_EQ(stream.push("\xF0\x9F\x99"), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD") << "it never was";
}

TEST(TextStream, replaces_each_maximal_subpart_of_a_character_by_one) {
  // The Unicode Standard's own examples, tables 3-8 to 3-11.
  const auto shown = [](const std::string& bytes) {
    TextStream stream({});
    std::string text = stream.push(bytes);
    text += stream.finish();
    return text;
  };
  const auto replaced = [](int n, const std::string& then) {
    std::string text;
    for (int i = 0; i < n; ++i) text += "\xEF\xBF\xBD";
    return text + then;
  };
  EXPECT_EQ(shown("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), replaced(8, "A"));
  EXPECT_EQ(shown("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), replaced(8, "A"));
  EXPECT_EQ(shown("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), replaced(5, "A") + replaced(2, "B"));
  EXPECT_EQ(shown("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), replaced(4, "A"));
}

TEST(TextStream, cuts_at_a_stop_that_runs_over_many_tokens) {
  TextStream stream({"<end>"});
  EXPECT_EQ(stream.push("It is red.<"), "It is red.");
  EXPECT_EQ(stream.push("en"), "");
  EXPECT_FALSE(stream.stopped());
  EXPECT_EQ(stream.push("d> and more"), "");
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.push("more"), "");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, shows_what_was_held_back_once_it_can_be_no_stop) {
  TextStream stream({"abcd"});
  EXPECT_EQ(stream.push("xabc"), "x");
  EXPECT_EQ(stream.push("ab"), "abc") << "only the last two letters may still begin it";
  EXPECT_EQ(stream.push("e"), "abe");
  EXPECT_EQ(stream.push("abc"), "");
  EXPECT_EQ(stream.finish(), "abc");
}

TEST(TextStream, stops_at_the_text_that_is_complete_first_the_longest_of_several) {
  TextStream first({"abc", "b"});
  EXPECT_EQ(first.push("xabc"), "xa");
  TextStream longest({"b", "ab"});
  EXPECT_EQ(longest.push("xab"), "x");
  EXPECT_TRUE(longest.stopped());
}

TEST(TextStream, ignores_empty_stops) {
  TextStream stream({"", "."});
  EXPECT_EQ(stream.push("so"), "so");
  EXPECT_FALSE(stream.stopped());
  EXPECT_EQ(stream.push(" it is. Yes"), " it is");
  EXPECT_TRUE(stream.stopped());
}

TEST(TextStream, finds_a_stop_that_only_the_end_completes) {
  TextStream stream({"a\xEF\xBF\xBD"});
  EXPECT_EQ(stream.push("xa\xE2\x82"), "x");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_TRUE(stream.stopped());
}

TEST(TextStream, never_cuts_a_character_at_a_stop_that_is_no_utf8) {
  TextStream stream({"\x82"});
  EXPECT_EQ(stream.push("\xE2\x82\xAC"), "\xE2\x82\xAC");
  EXPECT_FALSE(stream.stopped());
}

}  // namespace
}  // namespace braid::decode
