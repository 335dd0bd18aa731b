#include <gtest/gtest.h>

#include "braid/serve/pipeline.h"
#include "pipeline/firing.h"
#include "pipeline/pipeline_run.h"
#include "pipeline/stage_text.h"

namespace braid::serve {
namespace {

constexpr const char* kWhole = R"(
unperceived = ["plc"]

[[stage]]
name = "alarm"
trigger_on = { source = "plc", channel = "alarm", above = 0.5 }
time_window = { length = "1.2s", hop = "300ms" }
start_offset = "-200ms"
cooldown = "5s"

[[stage]]
name = "reports"
trigger_on = "alarm"
action = "retrieve"
query = "{channel} at {time}"
kinds = ["document"]
limit = 2

[[stage]]
name = "cause"
trigger_on = { stage = "reports" }
delay = "0.5s"
action = "ask"
question = "Why?"
deadline = "2s"
max_tokens = 32
)";

TEST(ParsePipeline, ReadsStages) {
  const auto plan = parse_pipeline(kWhole, "p.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->stages.size(), 3U);
  const PipelineStage& alarm = plan->stages[0];
  EXPECT_EQ(alarm.trigger_on->channel, "alarm");
  EXPECT_EQ(alarm.trigger_on->above, 0.5);
  EXPECT_EQ(alarm.time_window->length, Milliseconds(1200));
  EXPECT_EQ(alarm.time_window->hop, Milliseconds(300));
  EXPECT_EQ(alarm.start_offset, -Milliseconds(200));
  EXPECT_EQ(alarm.cooldown, std::chrono::seconds(5));
  EXPECT_EQ(alarm.action, StageAction::kGather);
  EXPECT_EQ(plan->stages[1].text, "{channel} at {time}");
  EXPECT_EQ(plan->stages[1].limit, 2);
  EXPECT_EQ(plan->stages[2].trigger_on->stage, "reports");
  EXPECT_EQ(plan->stages[2].deadline, std::chrono::seconds(2));
  EXPECT_EQ(plan->stages[2].delay, Milliseconds(500));
  EXPECT_EQ(plan->unperceived, std::vector<std::string>{"plc"});
}

struct WrongPlan {
  const char* text;
  const char* told;  ///< begins with the line
};

class ParsePipelineRefuses : public testing::TestWithParam<WrongPlan> {};

TEST_P(ParsePipelineRefuses, WithLineAndKey) {
  const auto plan = parse_pipeline(GetParam().text, "p.toml");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kUsage);
  EXPECT_EQ(plan.error().message.substr(0, std::string(GetParam().told).size()), GetParam().told);
}

constexpr WrongPlan kWrongKeys[] = {
    WrongPlan{"", "p.toml: there is no [[stage]]"},
    WrongPlan{"[stage]\nname = 1", "p.toml:1: stages must be"},
    WrongPlan{"[[stage]]\nname = 'a'\ntriger_on = 'b'",
              "p.toml:3: there is no key 'triger_on' in [[stage]]; did you mean 'trigger_on'?"},
    WrongPlan{"[[stage]]\nname = 'a'", "p.toml:1: stage 'a': trigger_on: neither trigger_on nor"},
    WrongPlan{"[[stage]]\nname = 'a b'\ntrigger_on='a'", "p.toml:2: stage 'a b': name:"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = 'bb'",
              "p.toml:3: stage 'a': trigger_on: there is no stage 'bb'"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = 'c'\n[[stage]]\nname = 'b'\ntrigger_on = 'a'\n"
              "[[stage]]\nname = 'c'\ntrigger_on = 'b'",
              "p.toml:3: stage 'a': trigger_on: triggers itself: a -> b -> c -> a"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = 'a'", "p.toml:3: stage 'a': trigger_on: triggers itself"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { channel = 'x', above = 1, below = 0 }",
              "p.toml:3: stage 'a': trigger_on: has more than one"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { above = 1 }",
              "p.toml:3: stage 'a': trigger_on: above, below and equals are"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { source = 'x' }",
              "p.toml:3: stage 'a': trigger_on: says nothing that can happen"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'boom' }",
              "p.toml:3: event: 'boom' is none of reading, line, utterance"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { channel = 'x', abov = 1 }",
              "p.toml:3: there is no key 'abov' in trigger_on"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\nduration = '-1s'",
              "p.toml:4: duration: '-1s' is negative"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\nstart_offset = 'soon'",
              "p.toml:4: start_offset: 'soon' is not a time"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\nstart_offset = '-1s'",
              "p.toml:4: stage 'a': start_offset: begins a window that has no end"},
    WrongPlan{"[[stage]]\nname = 'a'\ntime_window = { length = '1s' }",
              "p.toml:3: time_window: needs `length` and `hop`"},
    WrongPlan{"[[stage]]\nname = 'a'\ntime_window = { length = '1s', hop = '1us' }",
              "p.toml:3: stage 'a': time_window: its hop"},
    WrongPlan{"[[stage]]\nname = 'a'\ntime_window = { length = '1s', hop = '1s' }\nduration = '1s'",
              "p.toml:4: stage 'a': duration: time_window has"},
};
constexpr WrongPlan kWrongActions[] = {
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'shout'",
              "p.toml:4: action: 'shout' is none of gather, ask"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'ask'",
              "p.toml:1: stage 'a': question: action ask needs"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'ask'\nquery = 'x'",
              "p.toml:5: query: action ask has no use"},
    WrongPlan{
        "[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'ask'\nquestion = 'At {tim}?'",
        "p.toml:5: stage 'a': question: there is no {tim}; there are {time}"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'webhook'\nurl = 'ftp://x'",
              "p.toml:5: stage 'a': url:"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\naction = 'clip'\nfolder = 'x'",
              "p.toml:1: stage 'a': duration: action clip needs a window"},
    WrongPlan{
        "[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\n[[stage]]\nname = 'a'\ntrigger_on='a'",
        "p.toml:5: stage 'a': name: 'a' is taken"},
    WrongPlan{"[[stage]]\nname = 'a'\ntrigger_on = { event = 'frame' }\n[[stage]]\nname = 'b'\n"
              "trigger_on = { stage = 'a', contains = 'yes' }",
              "p.toml:6: stage 'b': trigger_on: stage 'a' answers nothing"}};
INSTANTIATE_TEST_SUITE_P(Keys, ParsePipelineRefuses, testing::ValuesIn(kWrongKeys));
INSTANTIATE_TEST_SUITE_P(Actions, ParsePipelineRefuses, testing::ValuesIn(kWrongActions));

TEST(PlanSources, AreThoseThatThereAre) {
  const auto plan = parse_pipeline(kWhole, "p.toml");
  ASSERT_TRUE(plan);
  EXPECT_TRUE(check_plan_sources(*plan, {"camera", "plc"}));
  const Status wrong = check_plan_sources(*plan, {"camera", "plcs"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "unperceived: there is no source 'plc'; did you mean 'plcs'?");
  EXPECT_FALSE(check_plan_needs(*plan, false)) << "it retrieves";
}

TEST(NearestWindow, IsThatWhoseMiddleIsNearest) {
  const StageWindows windows{Milliseconds(1200), Milliseconds(300)};
  const auto start = [&](std::int64_t ms) {
    return (nearest_window(windows, kSessionStart + Milliseconds(ms)) - kSessionStart) / Milliseconds(1);
  };
  EXPECT_EQ(start(0), 0) << "none begins before the session";
  EXPECT_EQ(start(600), 0);
  EXPECT_EQ(start(749), 0);
  EXPECT_EQ(start(750), 0) << "of two as near, the earlier";
  EXPECT_EQ(start(751), 300);
  EXPECT_EQ(start(7300), 6600);
}

TEST(StageText, IsFilledIn) {
  EXPECT_EQ(fill_in("{channel} = {value}; {} {x y} {nothing}", {.time = {},
                                                                .stage = {},
                                                                .source = {},
                                                                .channel = "gas",
                                                                .value = "{time}",
                                                                .text = {},
                                                                .answer = {}}),
            "gas = {time}; {} {x y} {nothing}")
      << "what is put in isn't looked at again";
  EXPECT_EQ(unknown_placeholder("{time} {tim}"), "{tim}");
  EXPECT_FALSE(unknown_placeholder("{time} { x } {}"));
}

TEST(HasPhrase, FindsWholeWordsInEitherCase) {
  EXPECT_TRUE(has_phrase("I see a Cat and an umbrella.", "cat"));
  EXPECT_TRUE(has_phrase("a red cat", "red cat"));
  EXPECT_FALSE(has_phrase("the category", "cat"));
  EXPECT_FALSE(has_phrase("concat", "cat"));
  EXPECT_FALSE(has_phrase("cat", ""));
  EXPECT_TRUE(has_phrase("concat cat", "cat")) << "a later one";
}

TEST(NumberIn, ReadsCommasToo) {
  EXPECT_EQ(number_in("12,5"), 12.5);
  EXPECT_EQ(number_in("-3e2"), -300.0);
  EXPECT_EQ(number_in("+1"), 1.0);
  EXPECT_FALSE(number_in("12 mm"));
  EXPECT_FALSE(number_in("nan"));
  EXPECT_FALSE(number_in("1,234.5"));
  EXPECT_FALSE(number_in(""));
}

}  // namespace
}  // namespace braid::serve
