// Pipelines beside a session of the scripted engine, in virtual time.

#include "pipeline/pipeline_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "braid/ingest/scripted_source.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::ElementsAre;

class PipelineTest : public SessionTest {
 protected:
  PipelineTest() {
    options.stay_open = true;
    options.queue = 64;  // frames wait for the log, and none shall be dropped
    model.rules = {{"see", "I see {seen}."}, {"", "{question} {said}"}};
    heard.meanwhile = [this](const deliver::Event& event) {
      if (const auto* stage = std::get_if<deliver::PipelineEvent>(&event)) told.push_back(*stage);
      run->on_event(event);
    };
  }
  ~PipelineTest() override {
    session.reset();
    run.reset();
  }

  /// A camera of frames f0, f1, … every half second, and readings of a log at the same speed.
  void create_with(const char* plan_text, FrameStream frames,
                   std::vector<ingest::ScriptedPacket> readings = {}) {
    auto plan = parse_pipeline(plan_text, "p.toml");
    ASSERT_TRUE(plan) << plan.error().message;
    PipelineTools tools = tools_of([this]() -> Session& { return *session; });
    tools.post = [this](const PipelineStage& stage, std::string body) -> Status {
      posted.emplace_back(stage.url, std::move(body));
      return {};
    };
    tools.memory = memory;
    tools.done = [this] { session->stop(true); };
    auto made_run = PipelineRun::create(std::move(*plan), std::move(tools), clock);
    ASSERT_TRUE(made_run) << made_run.error().message;
    run = std::move(*made_run);
    run->begin([] { return UtcTime(std::chrono::seconds(1'764'410'400)); });  // 2025-11-29T10:00:00Z
    options.tap = run.get();
    if (run->needs_notes()) options.note_bytes = 1U << 20;
    frames.paced = true;
    create(std::move(frames));
    ingest::SourceInfo info;
    info.name = "plc";
    info.streams[static_cast<std::size_t>(StreamKind::kReading)] = true;
    info.streams[static_cast<std::size_t>(StreamKind::kText)] = true;
    ASSERT_TRUE(session->add_source(ingest::make_scripted_source(info, std::move(readings), {}, clock)));
  }
  static ingest::ScriptedPacket reading(std::int64_t ms, std::string channel, std::string value) {
    Reading row;
    row.at = at_ms(ms);
    row.values = {{std::move(channel), std::move(value)}};
    return {Milliseconds(ms), row};
  }
  static ingest::ScriptedPacket line(std::int64_t ms, std::string text) {
    TextLine row;
    row.start = row.end = at_ms(ms);
    row.text = std::move(text);
    return {Milliseconds(ms), row};
  }
  void play() {
    session->start();
    run_to_end();
    run->close();
  }
  std::vector<std::string> stages() const {
    std::vector<std::string> names;
    for (const auto& event : told) names.push_back(event.stage);
    return names;
  }
  const deliver::PipelineStream& stream(const deliver::PipelineEvent& event, StreamKind kind) const {
    return *std::find_if(event.streams.begin(), event.streams.end(),
                         [&](const deliver::PipelineStream& one) { return one.kind == kind; });
  }
  static std::vector<std::int64_t> ms_of(const std::vector<SessionTime>& times) {
    std::vector<std::int64_t> all;
    for (const SessionTime at : times) all.push_back((at - kSessionStart) / Milliseconds(1));
    return all;
  }

  std::shared_ptr<retrieve::Memory> memory;
  std::unique_ptr<PipelineRun> run;
  std::vector<deliver::PipelineEvent> told;
  std::vector<std::pair<std::string, std::string>> posted;
};

constexpr const char* kAlarm = R"(
[[stage]]
name = "alarm"
trigger_on = { source = "plc", channel = "current", above = 100 }
start_offset = "-1s"
duration = "2s"
)";

TEST_F(PipelineTest, GathersWhatIsAroundACrossingOnce) {
  create_with(
      kAlarm, {.frames = 20},
      {reading(1000, "current", "90"), reading(4200, "current", "120"), reading(4300, "current", "130"),
       reading(6000, "current", "80"), reading(9000, "current", "99,5")});
  play();
  ASSERT_EQ(stages(), (std::vector<std::string>{"alarm"})) << "it stays above: once";
  const auto& event = told[0];
  EXPECT_EQ(event.at, at_ms(4200));
  EXPECT_EQ(event.value, "120");
  EXPECT_EQ(event.from, at_ms(3200));
  EXPECT_EQ(event.to, at_ms(5200));
  EXPECT_THAT(ms_of(stream(event, StreamKind::kVideo).members), ElementsAre(3500, 4000, 4500, 5000));
  EXPECT_THAT(ms_of(stream(event, StreamKind::kReading).members), ElementsAre(4200, 4300));
  EXPECT_EQ(stream(event, StreamKind::kVideo).age, -Milliseconds(800));
  EXPECT_EQ(stream(event, StreamKind::kVideo).coverage, "settled");
  ASSERT_EQ(event.evidence.size(), 2U);
  EXPECT_EQ(event.evidence[0].time, "2025-11-29T10:00:04.2Z");
  EXPECT_EQ(event.evidence[0].text, "current 120");
  EXPECT_FALSE(event.error);
}

TEST_F(PipelineTest, AsksWhenTheWindowHasPassedWithWhatWasGathered) {
  create_with((std::string("unperceived = [\"plc\"]\n") + kAlarm + R"(
[[stage]]
name = "cause"
trigger_on = "alarm"
delay = "1s"
action = "ask"
question = "What do you see at {channel} {value}?"
)")
                  .c_str(),
              {.frames = 20}, {reading(4200, "current", "120")});
  play();
  ASSERT_EQ(stages(), (std::vector<std::string>{"alarm", "cause"}));
  ASSERT_EQ(heard.answers.size(), 1U);
  const Answer& answer = heard.answers[0];
  EXPECT_EQ(answer.question, "What do you see at current 120?");
  EXPECT_EQ(answer.asked_at, at_ms(5200));
  EXPECT_EQ(answer.text, "I see " + labels(0, 10) + ".");
  ASSERT_EQ(answer.evidence.size(), 1U) << "the model hasn't got the log otherwise";
  EXPECT_EQ(answer.evidence[0].text, "current 120");
  EXPECT_EQ(told[1].answer, answer.text);
  EXPECT_EQ(told[1].question, answer.id);
  EXPECT_EQ(told[1].at, at_ms(4200)) << "the moment is the trigger's all along";
  EXPECT_GE(told[1].since_trigger, Nanoseconds::zero());
  EXPECT_THAT(heard.summary->drops,
              testing::Contains(std::pair<std::string, std::uint64_t>("unperceived", 1)));
}

TEST_F(PipelineTest, FollowsAnAnswerThatContainsALabel) {
  create_with(R"(
[[stage]]
name = "look"
trigger_on = { event = "line", contains = "check" }
action = "ask"
question = "What do you see?"
[[stage]]
name = "found"
trigger_on = { stage = "look", contains = "f3" }
action = "webhook"
url = "http://127.0.0.1:9/x"
[[stage]]
name = "not_found"
trigger_on = { stage = "look", contains = "f19" }
action = "webhook"
url = "http://127.0.0.1:9/y"
)",
              {.frames = 20}, {line(1700, "Check the weld"), line(3000, "the checkbox")});
  play();
  EXPECT_EQ(stages(), (std::vector<std::string>{"look", "found"}));
  ASSERT_EQ(posted.size(), 1U);
  EXPECT_EQ(posted[0].first, "http://127.0.0.1:9/x");
  EXPECT_NE(posted[0].second.find("\"answer\":\"I see f0, f1, f2, f3.\""), std::string::npos)
      << posted[0].second;
}

TEST_F(PipelineTest, SlidingWindowsFireInWhichAnythingIs) {
  create_with(R"(
[[stage]]
name = "each"
time_window = { length = "2s", hop = "1s" }
sources = ["plc"]
)",
              {.frames = 3}, {reading(2500, "a", "1"), reading(9000, "a", "2")});
  play();
  std::vector<std::int64_t> starts;
  for (const auto& event : told) starts.push_back((*event.from - kSessionStart) / Milliseconds(1));
  EXPECT_THAT(starts, ElementsAre(0, 1000, 2000, 8000, 9000)) << "frames at 0 to 1 s, rows at 2.5 and 9 s";
  EXPECT_EQ(stream(told[1], StreamKind::kReading).count, 1U);
}

TEST_F(PipelineTest, AWindowOfTheGridIsTheNearest) {
  create_with(R"(
[[stage]]
name = "alarm"
trigger_on = { channel = "alarm", equals = "1" }
time_window = { length = "1.2s", hop = "300ms" }
)",
              {.frames = 20}, {reading(100, "alarm", "0"), reading(4190, "alarm", "1.0")});
  play();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].from, at_ms(3600));
  EXPECT_EQ(told[0].to, at_ms(4800));
}

TEST_F(PipelineTest, TriggersTooSoonAreCooledAndTooManyPassedOver) {
  std::vector<ingest::ScriptedPacket> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back(reading(i, "n", std::to_string(i)));
  create_with(R"(
[[stage]]
name = "each"
trigger_on = { event = "reading" }
delay = "5s"
[[stage]]
name = "seldom"
trigger_on = { event = "reading" }
cooldown = "400ms"
)",
              {.frames = 20}, rows);
  play();
  const PipelineCounts counts = run->counts();
  EXPECT_EQ(
      counts.cooled +
          std::count_if(told.begin(), told.end(), [](const auto& event) { return event.stage == "seldom"; }) +
          counts.passed_over +
          std::count_if(told.begin(), told.end(), [](const auto& event) { return event.stage == "each"; }),
      2000U)
      << "each is in one count";
  EXPECT_GT(counts.passed_over, 500U);
  const auto over =
      std::find_if(told.begin(), told.end(), [](const auto& event) { return event.error.has_value(); });
  ASSERT_NE(over, told.end()) << "and it is told";
  EXPECT_EQ(over->error->code, ErrorCode::kFull);
}

TEST_F(PipelineTest, ALabelThatAppearsInTheModelsWordsTriggersOnce) {
  model.rules = {{"now", "I see {seen} now."}, {"", "I saw {seen}."}};
  create_with(R"(
[[stage]]
name = "appears"
trigger_on = { event = "note", contains = "f1" }
)",
              {.frames = 8, .labels = 4});
  play();
  std::vector<std::int64_t> at;
  for (const auto& event : told) at.push_back((event.at - kSessionStart) / Milliseconds(1));
  EXPECT_THAT(at, ElementsAre(500, 2500)) << "f1 of each round";
}

TEST_F(PipelineTest, WhatLiesBehindTheSourcesEndIsDoneAtTheirEnd) {
  create_with(R"(
[[stage]]
name = "late"
trigger_on = { event = "line" }
start_offset = "-1s"
duration = "60s"
[[stage]]
name = "ask"
trigger_on = "late"
delay = "2m"
action = "ask"
question = "What do you see?"
)",
              {.frames = 4}, {line(1200, "x")});
  play();
  EXPECT_EQ(stages(), (std::vector<std::string>{"late", "ask"}));
  EXPECT_EQ(told[1].answer, "I see " + labels(0, 3) + ".");
}

TEST_F(PipelineTest, AQuestionThatIsRefusedIsTold) {
  options.max_answer_tokens = 8;
  create_with(R"(
[[stage]]
name = "ask"
trigger_on = { event = "line" }
action = "ask"
question = "What do you see?"
max_tokens = 4096
)",
              {.frames = 4}, {line(1200, "x")});
  play();
  ASSERT_EQ(told.size(), 1U);
  ASSERT_TRUE(told[0].error);
  EXPECT_EQ(told[0].error->code, ErrorCode::kLimit);
  EXPECT_EQ(run->counts().failed, 1U);
}

TEST_F(PipelineTest, EndedInTheMiddleItStopsWithItsSession) {
  create_with(R"(
[[stage]]
name = "ask"
trigger_on = { event = "frame" }
action = "ask"
question = "What do you see?"
)",
              {.frames = 1000, .live = true});
  session->start();
  sleep_until(3200);
  run->close();
  const auto count = told.size();
  session->stop(false);
  session->wait();
  EXPECT_GT(count, 0U);
  EXPECT_EQ(told.size(), count) << "nothing is told once it is closed";
}

}  // namespace
}  // namespace braid::serve
