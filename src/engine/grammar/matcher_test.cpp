// Grammars read from GBNF, stepped byte by byte.

#include "grammar/matcher.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "grammar/gbnf.h"

namespace braid::engine::grammar {
namespace {

/// What becomes of a text: it is complete, may go on, or is refused.
enum class Fate { kComplete, kOpen, kRefused, kExhausted };

Fate fate(const Program& program, std::string_view text) {
  Matcher matcher(program);
  Matcher::State state = matcher.start();
  for (const char byte : text) {
    if (state == Matcher::kDead) break;
    matcher.renew();
    state = matcher.step(state, static_cast<std::uint8_t>(byte));
    if (matcher.crowded()) state = matcher.forget(state);
  }
  if (matcher.exhausted()) return Fate::kExhausted;
  if (state == Matcher::kDead) return Fate::kRefused;
  return matcher.may_end(state) ? Fate::kComplete : Fate::kOpen;
}

Fate fate(std::string_view grammar, std::string_view text) {
  const auto program = read_gbnf(grammar);
  if (!program) throw std::runtime_error(program.error().message);
  return fate(*program, text);
}

ErrorCode refusal(std::string_view grammar) {
  const auto program = read_gbnf(grammar);
  return program ? ErrorCode::kInternal : program.error().code;
}

TEST(Grammar, KnowsCompleteOpenAndForbiddenTexts) {
  struct Case {
    std::string_view grammar, complete, open, refused;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"(root ::= "abc")", "abc", "ab", "abd"},
           {"root ::= [a-c]+ \"!\"", "abccba!", "abc", "abd"},
           {"root ::= a \",\" a\na ::= \"x\" | \"y\"", "x,y", "x", "x,z"},
           {"root ::= (\"a\" | \"b\"\n  | \"c\"){2,3}  # two or three\n", "ab", "a", "abca"},
           {R"(root ::= "a"{3} "b"?)", "aaab", "aa", "aaaa"},
           {R"(root ::= "ab"{2,})", "ababab", "aba", "abb"},
           {R"(root ::= [^"\\\x00-\x1F] "\"")", "\xC3\xA9\"", "\xC3\xA9", "\n\""},
           {R"(root ::= [\u00e0-\u00ff] .)", "\xC3\xA9\xF0\x9F\x98\x80", "\xC3", "\xC3\x9F"},
           {R"(root ::= "\t\r\n\\\"\[\]\-" "")", "\t\r\n\\\"[]-", "\t", "t"},
           {R"(root ::= ("a"?)*  "b")", "aab", "aa", "c"},
           {"root ::= \"(\" root \")\" | \"\"", "(())", "((", "())"},
       }) {
    EXPECT_EQ(fate(c.grammar, c.complete), Fate::kComplete) << c.grammar;
    EXPECT_EQ(fate(c.grammar, c.open), Fate::kOpen) << c.grammar;
    EXPECT_EQ(fate(c.grammar, c.refused), Fate::kRefused) << c.grammar;
  }
}

TEST(Grammar, TakesNoBytesThatAreNoCharacters) {
  for (const std::string_view text :
       {"\xED\xA0\x80", "\xC0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xFF", "\x80"})
    EXPECT_EQ(fate("root ::= .", text), Fate::kRefused);
  for (const std::string_view text : {"\xED\x9F\xBF", "\xC2\x80", "\xE0\xA0\x80", "\xF4\x8F\xBF\xBF", "\x7F"})
    EXPECT_EQ(fate("root ::= .", text), Fate::kComplete);
}

TEST(Grammar, RefusesWhatIsNoGrammar) {
  for (const std::string_view text :
       {"", "root", "root ::", "root = \"a\"", "root ::= (\"a\"", "root ::= \"a", "root ::= [a", "root ::= *",
        "root ::= \"a\"{", "root ::= \"a\"{3,2}", "root ::= \"a\"{x}", "root ::= missing", "other ::= \"a\"",
        "root ::= \"\\q\"", "root ::= \"\\x1\"", "root ::= \"\\UFFFFFFFF\"", "root ::= \"\xFF\"",
        "root ::= \"a\" )"})
    EXPECT_EQ(refusal(text), ErrorCode::kBadInput) << text;
}

TEST(Grammar, BoundsWhatARepetitionMayTake) {
  EXPECT_EQ(refusal(R"(root ::= "a"{1000000000})"), ErrorCode::kLimit);
  EXPECT_EQ(refusal(R"(root ::= "a"{0,99999999999999999999})"), ErrorCode::kLimit);
  EXPECT_EQ(refusal(R"(root ::= (("a"{8000} "b"){8000} "c"){8000} "a"{8000})" +
                    [] {
                      std::string more;
                      for (int i = 0; i < 20; ++i) more += " \"a\"{8000}";
                      return more;
                    }()),
            ErrorCode::kLimit);
  EXPECT_EQ(refusal("root ::= " + std::string(5000, '(')), ErrorCode::kLimit);
  EXPECT_EQ(refusal("root ::= \"" + std::string(3U << 20, 'a') + "\""), ErrorCode::kLimit);
}

TEST(Grammar, AmbiguityEndsInAnErrorNotInHours) {
  EXPECT_EQ(fate(R"(root ::= ((("a"?){0,1000}){0,1000}){0,1000})", "aaaa"), Fate::kExhausted);
  EXPECT_EQ(fate("root ::= root \"a\" | \"b\"", "b"), Fate::kExhausted) << "left recursion has no end";
  // Each bracket doubles the ways to read them; equal ways are one.
  const std::string_view doubling = "root ::= \"[\" root \"]\" | \"[\" root \"]\" | \"x\"";
  EXPECT_EQ(fate(doubling, "[[[[[[[[[[x]]]]]]]]]]"), Fate::kComplete);
  EXPECT_NE(fate(doubling, std::string(100, '[')), Fate::kRefused);
}

TEST(Grammar, ACircleOfNamesIsNoText) {
  const auto program = read_gbnf("root ::= other\nother ::= root");
  ASSERT_TRUE(program);
  EXPECT_EQ(Matcher(*program).start(), Matcher::kDead);
}

TEST(Grammar, GoesOnWhereItWasAfterForgetting) {
  const auto program = read_gbnf("root ::= \"[\" root* \"]\"");
  ASSERT_TRUE(program);
  Matcher matcher(*program);
  Matcher::State state = matcher.start();
  for (const char byte : std::string_view("[[[]["))
    state = matcher.forget(matcher.step(state, static_cast<std::uint8_t>(byte)));
  for (const char byte : std::string_view("]]]")) {
    EXPECT_FALSE(matcher.may_end(state));
    state = matcher.step(state, static_cast<std::uint8_t>(byte));
    ASSERT_NE(state, Matcher::kDead);
    state = matcher.forget(state);
  }
  EXPECT_TRUE(matcher.may_end(state));
}

TEST(Grammar, ALongTextComesBackToTheSameStates) {
  const auto program = read_gbnf(R"(root ::= "\"" [^"]* "\"")");
  ASSERT_TRUE(program);
  Matcher matcher(*program);
  const Matcher::State inside = matcher.step(matcher.start(), '"');
  Matcher::State state = inside;
  for (int i = 0; i < 1000; ++i) state = matcher.step(state, 'a');
  EXPECT_EQ(state, inside);
}

}  // namespace
}  // namespace braid::engine::grammar
