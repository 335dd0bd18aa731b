// Patterns as grammars of JSON strings: rewritten, converted as llama-common does it, and matched.

#include "grammar/pattern.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace braid::engine::grammar {
namespace {

ErrorCode refusal(std::string_view pattern) {
  const auto made = json_pattern(pattern);
  return made ? ErrorCode::kInternal : made.error().code;
}

TEST(Pattern, IsWrittenInEscapesAlone) {
  EXPECT_EQ(*json_pattern("^ab?$"), "^([\\u0061](?:[\\u0062])?)$");
  EXPECT_EQ(*json_pattern("^[a-c]{2,3}$"), "^((?:[\\u0061-\\u0063]){2,3})$");
  EXPECT_EQ(*json_pattern("^(a|b)+?$"), "^((?:(?:[\\u0061]|[\\u0062]))+)$");
  EXPECT_EQ(*json_pattern("^\\d$"), "^([\\u0030-\\u0039])$");
}

TEST(Pattern, QuotesAndControlCharactersAreJsonEscapes) {
  EXPECT_EQ(*json_pattern("^\"$"), "^([\\u005C][\\u0022])$");
  EXPECT_EQ(*json_pattern("^\\n$"), "^([\\u005C][\\u006E])$");
  EXPECT_EQ(*json_pattern("^\\x01$"), "^([\\u005C][\\u0075][\\u0030][\\u0030][\\u0030][\\u0031])$");
  EXPECT_EQ(*json_pattern("^[!-#]$"), "^((?:[\\u0021\\u0023]|[\\u005C][\\u0022]))$");
  const std::string any = *json_pattern("^.$");
  EXPECT_EQ(any.find("\\u0022-"), std::string::npos);
  EXPECT_NE(any.find("[\\u005C][\\u0022]"), std::string::npos) << "an escaped quote is a character";
}

TEST(Pattern, IsFoundAnywhereWithoutAnchors) {
  const std::string free = *json_pattern("a");
  EXPECT_TRUE(free.starts_with("^((?:"));
  EXPECT_NE(free.find("*[\\u0061](?:"), std::string::npos);
  EXPECT_EQ(*json_pattern("^a$|^b$"), "^([\\u0061]|[\\u0062])$");
}

TEST(Pattern, CharactersBeyondTheFirstPlaneHaveLongEscapes) {
  const std::string smile = "^([\\U0001F600])$";
  EXPECT_EQ(*json_pattern("^\xF0\x9F\x98\x80$"), smile);
  EXPECT_EQ(*json_pattern("^\\uD83D\\uDE00$"), smile);
  EXPECT_EQ(*json_pattern("^\\u{1F600}$"), smile);
}

TEST(Pattern, RefusesWhatIsNoPatternAndWhatItCantTake) {
  for (const std::string_view pattern : {"(", ")", "a)", "[", "[b-a]", "*", "a{", "a{x}", "a{3,2}", "\\",
                                         "\\u12", "\\uD800", "\\u{110000}", "[]", "[^\\s\\S]", "a**", "{1}"})
    EXPECT_EQ(refusal(pattern), ErrorCode::kBadInput) << pattern;
  for (const std::string_view pattern :
       {"(?=a)", "(?<n>a)", "(?!a)", "\\1", "\\bword", "\\p{L}", "a^b", "a$b", "(^a)", "\\cA"})
    EXPECT_EQ(refusal(pattern), ErrorCode::kUnsupported) << pattern;
  EXPECT_EQ(refusal("a{99999}"), ErrorCode::kLimit);
  EXPECT_EQ(refusal(std::string(500, '(')), ErrorCode::kLimit);
}

}  // namespace
}  // namespace braid::engine::grammar
