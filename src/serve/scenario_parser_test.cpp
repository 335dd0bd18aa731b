#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/scenario.h"
#include "scenario/words.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSmall =
    "source cam video\n"
    "at 1.0 cam frame \"a cat\"\n"
    "ask \"What?\"\n";

std::string error_of(const std::string& text) {
  const auto scenario = parse_scenario(text);
  return scenario ? "" : scenario.error().message;
}

TEST(WordsTest, QuotesHoldWordsTogetherAndHashEndsALine) {
  EXPECT_THAT(split_words("at 1.0 x \"a # \\\" b\" c=\"d e\" # rest").value(),
              ElementsAre("at", "1.0", "x", "\"a # \\\" b\"", "c=\"d e\""));
  EXPECT_EQ(unquote("\"a \\\"b\\\\ \\n\"").value(), "a \"b\\ \n");
  EXPECT_FALSE(split_words("say \"open"));
  EXPECT_FALSE(unquote("\"\\x\""));
}

struct Bad {
  std::string text;
  std::string why;
};

class BadScenarioTest : public testing::TestWithParam<Bad> {};

TEST_P(BadScenarioTest, IsRefusedWithItsLine) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadScenarioTest,
    testing::Values(Bad{"\nhello", "line 2: 'hello'"}, Bad{"set speed 3", "no setting 'speed'"},
                    Bad{"set realtime maybe", "on or off"}, Bad{"set step 3parsecs", "line 1"},
                    Bad{"source cam smell", "'smell'"}, Bad{"at 1.0 cam frame \"x\"", "no source 'cam'"},
                    Bad{"source c video\nat -1 c frame \"x\"", "line 2"},
                    Bad{"source c video\nat 2.0-1.0 c frame \"x\"", "ends before it starts"},
                    Bad{"source c video\nat 2h c frame \"x\"", "past one hour"},
                    Bad{"source c video\nat 1.0 c frame", "frame of what"},
                    Bad{"source c video\nat 1.0 c frame \"x\" y", "too much"},
                    Bad{"source m audio\nat 1.0 m speech \"x\"", "needs a span"},
                    Bad{"source m audio\nat 0-50m m speech \"x\"", "ten minutes"},
                    Bad{"source p reading\nat 1.0 p reading hot", "channel=value"},
                    Bad{"ask What?", "ask \"QUESTION\""}, Bad{"ask \"Q\" colour 3", "colour"},
                    Bad{"ask now \"Q\"", "needs a time"}, Bad{"rule \"a\" \"b\"", "write: rule"},
                    Bad{"at 1.0 cancel x", "whole number"}, Bad{"expect", "expect what"},
                    Bad{"expect answer text", "no condition"}, Bad{std::string(2 << 20, '\n'), "at most"},
                    Bad{"at 1.0 x \"open", "line 1: a quote"}));

TEST(ScenarioTest, WithoutAnExpectationFails) {
  EXPECT_THAT(run_scenario(parse_scenario(kSmall).value()), ElementsAre(HasSubstr("nothing is expected")));
}

TEST(ScenarioTest, SaysWhichExpectationDidNotHoldAndWhatCame) {
  const std::string text = std::string(kSmall) + "expect answer text=\"A dog.\"\nexpect frame kept=true\n";
  EXPECT_THAT(
      run_scenario(parse_scenario(text).value()),
      ElementsAre(testing::AllOf(HasSubstr("line 4: expect answer text=\"A dog.\""), HasSubstr("a cat"))));
}

TEST(ScenarioTest, ConditionsCompareByKind) {
  const std::string expectations =
      "expect answer id=0 id<1 id<=0 id>=0 id!=1 text~cat text!=\"\" deadline_ms=null window.chunks=1 "
      "error=null\n"
      "expect no answer id>0\nexpect 0 answer text<3\nexpect some answer\nexpect no answer "
      "nothing.such=null\n"
      "expect no answer id=\"0\"\nexpect no answer window=1\n";
  EXPECT_THAT(run_scenario(parse_scenario(kSmall + expectations).value()), IsEmpty());
}

TEST(ScenarioTest, RunsAreRepeatable) {
  const auto scenario = parse_scenario(std::string(kSmall) + "set realtime on\nexpect answer id=7\n").value();
  const auto first = run_scenario(scenario);
  EXPECT_EQ(first.size(), 1U);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run_scenario(scenario), first);
}

TEST(ScenarioTest, RefusalOfTheSessionIsAFailureNotACrash) {
  const auto scenario =
      parse_scenario("set cells 10\nset window_tokens 100\nask \"x\"\nexpect answer\n").value();
  EXPECT_THAT(run_scenario(scenario), ElementsAre(HasSubstr("the session refused")));
}

}  // namespace
}  // namespace braid::serve
