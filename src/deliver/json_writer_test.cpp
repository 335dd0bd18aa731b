#include "braid/deliver/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <vector>

#include "braid/base/virtual_clock.h"
#include "json_line.h"

namespace braid::deliver {
namespace {

using testing::ElementsAre;

class JsonWriterTest : public testing::Test {
 protected:
  boost::json::object write(const Event& event, JsonOptions options = {}) {
    lines_.clear();
    make_json_writer([this](const std::string& line) { lines_.push_back(line); }, clock_, options)
        ->on_event(event);
    return lines_.empty() ? boost::json::object() : boost::json::parse(lines_.at(0)).as_object();
  }

  static std::vector<std::string> names(const boost::json::object& object) {
    std::vector<std::string> list;
    for (const auto& field : object) list.emplace_back(field.key());
    return list;
  }

  static Answer answer() {
    Answer answer;
    answer.id = QuestionId{3};
    answer.question = "What?";
    answer.text = "A dog.";
    answer.asked_at = SessionTime(Milliseconds(1500));
    answer.first_token = SteadyTime(Microseconds(83'100));
    answer.last_token = SteadyTime(Milliseconds(100));
    answer.stages[Stage::kDecodeFirst] = Nanoseconds(83'000'001);
    answer.window = {
        SessionTime(Milliseconds(500)), SessionTime(Milliseconds(1500)), 2, 40, 1, 1, 0, 0, 1, {}};
    answer.evidence = {{7, "2026-11-29T10:00:00Z", "plc", "hot"},
                       {9, "2026-11-29T10:00:01Z", "a \"b\"", "cold"}};
    return answer;
  }

  VirtualClock clock_{SteadyTime(Milliseconds(120))};
  std::vector<std::string> lines_;
};

TEST_F(JsonWriterTest, AnswerHasEveryFieldInItsUnit) {
  const auto object = write(answer());
  EXPECT_THAT(names(object), ElementsAre("type", "id", "question", "asked_at_us", "text", "ttft_ms",
                                         "wall_ms", "freshness_ms", "stages_ms", "verdict", "degraded",
                                         "deadline_ms", "finish", "tokens", "window", "evidence", "error"));
  EXPECT_EQ(boost::json::serialize(object.at("evidence")),
            R"([{"record":7,"time":"2026-11-29T10:00:00Z","source":"plc"},)"
            R"({"record":9,"time":"2026-11-29T10:00:01Z","source":"a \"b\""}])");
  EXPECT_EQ(object.at("id"), 3);
  EXPECT_EQ(object.at("asked_at_us"), 1'500'000);
  EXPECT_DOUBLE_EQ(object.at("ttft_ms").to_number<double>(), 83.1);
  EXPECT_EQ(object.at("wall_ms"), 120);
  EXPECT_TRUE(object.at("freshness_ms").is_null());
  EXPECT_EQ(object.at("verdict"), "none");
  EXPECT_EQ(object.at("finish"), "stop");
  EXPECT_THAT(names(object.at("tokens").as_object()),
              ElementsAre("prompt", "question", "answer", "perceived", "kept"));
  EXPECT_EQ(
      boost::json::serialize(object.at("window")),
      R"({"from_us":500000,"to_us":1500000,"chunks":2,"frames":1,"utterances":0,"lines":0,"readings":1,"tokens":40,)"
      R"("evicted_chunks":1,"sources":{}})");
}

TEST_F(JsonWriterTest, AnAnswerTellsOfEachSourceHowOldAndHowSureItIs) {
  Answer given = answer();
  given.asked_at = SessionTime(Milliseconds(2000));
  given.window.sources = {
      {SourceId{0}, "cam", 3, SessionTime(Milliseconds(1960)), Milliseconds(8)},
      {SourceId{1}, "\"press\"", 0, {}, {}},
  };
  const auto object = write(given);
  EXPECT_EQ(boost::json::serialize(object.at("window").at("sources")),
            R"({"cam":{"chunks":3,"age_ms":40,"error_bound_ms":8,"missing":false},)"
            R"("\"press\"":{"chunks":0,"age_ms":null,"error_bound_ms":null,"missing":true}})");
}

TEST_F(JsonWriterTest, AllStagesAreThereAndTheirSumIsTheWallTime) {
  const auto object = write(answer());
  const auto& stages = object.at("stages_ms").as_object();
  ASSERT_EQ(stages.size(), kStageCount);
  double sum = 0;
  for (const auto& stage : stages) sum += stage.value().to_number<double>();
  EXPECT_NEAR(sum, 120.0, 1e-9);
  EXPECT_EQ(stages.at("deliver"), 20);
  EXPECT_DOUBLE_EQ(stages.at("decode_first").to_number<double>(), 83.000001);
}

TEST_F(JsonWriterTest, TokensOfAllChunksSoFarAreInTheAnswer) {
  lines_.clear();
  const auto writer = make_json_writer([this](const std::string& line) { lines_.push_back(line); }, clock_);
  Perceived kept;
  kept.tokens = 16;
  Perceived dropped = kept;
  dropped.kept = false;
  writer->on_event(kept);
  writer->on_event(dropped);
  writer->on_event(answer());
  const auto tokens = boost::json::parse(lines_.at(2)).at("tokens");
  EXPECT_EQ(tokens.at("perceived"), 32);
  EXPECT_EQ(tokens.at("kept"), 16);
}

TEST_F(JsonWriterTest, ErrorOfAnAnswerIsAnObject) {
  Answer failed = answer();
  failed.finish = FinishReason::kError;
  failed.error = Error{ErrorCode::kFull, "no cells", true};
  EXPECT_EQ(boost::json::serialize(write(failed).at("error")),
            R"({"code":"full","message":"no cells","retryable":true})");
}

TEST_F(JsonWriterTest, PerceivedThingsAreNamedByKind) {
  Perceived perceived;
  perceived.source = "cam";
  perceived.start = SessionTime(Milliseconds(1000));
  perceived.end = SessionTime(Milliseconds(2000));
  perceived.text = "t=1";
  EXPECT_THAT(names(write(perceived)), ElementsAre("type", "source", "at_us", "width", "height", "kept",
                                                   "reason", "tokens", "stages_ms"));
  perceived.modality = Modality::kAudio;
  EXPECT_THAT(names(write(perceived)),
              ElementsAre("type", "source", "start_us", "end_us", "kept", "reason", "tokens", "stages_ms"));
  perceived.modality = Modality::kReading;
  const auto reading = write(perceived);
  EXPECT_EQ(reading.at("type"), "reading");
  EXPECT_EQ(reading.at("at_us"), 2'000'000);
  EXPECT_EQ(reading.at("text"), "t=1");
  perceived.modality = Modality::kText;
  EXPECT_EQ(write(perceived).at("start_us"), 1'000'000);
}

TEST_F(JsonWriterTest, DeltasOnlyOnRequest) {
  const AnswerDelta delta{QuestionId{1}, "Hi\n"};
  EXPECT_TRUE(write(delta).empty());
  EXPECT_TRUE(write(AnswerBegin{}).empty());
  const JsonOptions with{.deltas = true};
  write(delta, with);
  EXPECT_EQ(lines_.at(0), R"({"type":"answer_delta","id":1,"text":"Hi\n"})");
  write(AnswerBegin{QuestionId{1}, "Q", SessionTime(Milliseconds(2))}, with);
  EXPECT_EQ(lines_.at(0), R"({"type":"answer_begin","id":1,"question":"Q","asked_at_us":2000})");
}

TEST_F(JsonWriterTest, ANoticeIsNoError) {
  const auto object = write(Notice{"press", std::nullopt, "times are taken for seconds"});
  EXPECT_EQ(boost::json::serialize(object),
            R"({"type":"notice","source":"press","at_us":null,"message":"times are taken for seconds"})");
}

TEST_F(JsonWriterTest, FaultSaysWhereIfItIsKnown) {
  write(Fault{"", std::nullopt, {ErrorCode::kBadInput, "bad", false}});
  EXPECT_EQ(lines_.at(0), R"({"type":"error","source":null,"at_us":null,"code":"bad_input","message":"bad",)"
                          R"("retryable":false})");
  EXPECT_EQ(write(Fault{"cam", SessionTime(Milliseconds(3)), {}}).at("at_us"), 3000);
}

TEST_F(JsonWriterTest, SummaryCountsDropsByReason) {
  Summary summary;
  summary.drops = {{"blank", 2}, {"queue_full", 1}};
  summary.frames_sampled = 5;
  const auto object = write(summary);
  EXPECT_EQ(boost::json::serialize(object.at("drops")), R"({"blank":2,"queue_full":1})");
  EXPECT_EQ(object.at("frames").at("sampled"), 5);
  EXPECT_EQ(object.at("interrupted"), false);
}

TEST_F(JsonWriterTest, ProgressIsThinnedOut) {
  const auto writer = make_json_writer([this](const std::string& line) { lines_.push_back(line); }, clock_);
  for (int i = 0; i < 25; ++i) {
    writer->on_event(Progress{SessionTime(Milliseconds(i)), {}, 0, 0});
    clock_.sleep_for(Milliseconds(100));
  }
  ASSERT_EQ(lines_.size(), 3U);
  EXPECT_TRUE(boost::json::parse(lines_[0]).at("duration_ms").is_null());
}

TEST_F(JsonWriterTest, OutsideTextIsAlwaysValidJson) {
  Perceived perceived;
  perceived.modality = Modality::kText;
  perceived.source = "a\"b\\";
  perceived.text = "\x01\xFF\xED\xA0\x80 \xE4\xB8\xAD\n\x7F";
  const auto object = write(perceived);
  EXPECT_EQ(object.at("source"), "a\"b\\");
  EXPECT_EQ(object.at("text").as_string().front(), '\x01');
  EXPECT_EQ(lines_.at(0).find('\n'), std::string::npos);
}

TEST(JsonWriterFileTest, LineIsWholeInTheFile) {
  VirtualClock clock;
  std::FILE* file = std::tmpfile();
  const auto writer = make_json_writer(file, clock);
  Answer answer;
  answer.text = "x";
  writer->on_event(answer);
  writer->on_event(Summary{});
  std::rewind(file);
  std::array<char, 4096> bytes{};
  const std::size_t n = std::fread(bytes.data(), 1, bytes.size(), file);
  const std::string text(bytes.data(), n);
  const std::size_t end = text.find('\n');
  EXPECT_EQ(boost::json::parse(text.substr(0, end)).at("type"), "answer");
  EXPECT_EQ(boost::json::parse(text.substr(end + 1)).at("type"), "summary");
  EXPECT_TRUE(writer->status());
  std::fclose(file);
}

TEST(JsonWriterFileTest, ClosedReaderIsReportedAndDoesNotEndTheProcess) {
  VirtualClock clock;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::FILE* file = fdopen(ends[1], "w");
  const auto writer = make_json_writer(file, clock);
  writer->on_event(Summary{});
  EXPECT_TRUE(writer->status());
  close(ends[0]);
  writer->on_event(Summary{});
  ASSERT_FALSE(writer->status());
  EXPECT_EQ(writer->status().error().code, ErrorCode::kCancelled);
  writer->on_event(Summary{});
  std::fclose(file);
}

TEST(JsonWriterFileTest, FullMediumIsReported) {
  VirtualClock clock;
  std::FILE* file = std::fopen("/dev/full", "w");
  ASSERT_NE(file, nullptr);
  const auto writer = make_json_writer(file, clock);
  writer->on_event(Summary{});
  EXPECT_EQ(writer->status().error().code, ErrorCode::kResource);
  std::fclose(file);
}

}  // namespace
}  // namespace braid::deliver
