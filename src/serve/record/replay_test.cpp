#include "record/replay.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "record/recorder.h"
#include "record/recording_engine.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

/// Sessions over the scripted engine, recorded and done again without it.
class ReplayTest : public SessionTest {
 protected:
  ReplayTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-replay-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = folder + "/recording";
  }
  ~ReplayTest() override {
    session.reset();
    host.reset();
    std::filesystem::remove_all(folder);
  }

  void start_recorded(FrameStream stream, RecorderOptions recording = {}) {
    recorder = *Recorder::create(path, clock, recording);
    options.log = recorder.get();
    made = engine::make_scripted_engine(clock, model);
    made.engine = record_engine(std::move(made.engine), recorder);
    host = std::make_unique<EngineHost>(made.engine, clock, host_options);
    stream.paced = stream.paced || options.realtime;
    session = *Session::create(options, *host, nullptr, clock, heard);
    ASSERT_TRUE(session->add_source(make_frame_source(std::move(stream), pool, clock)));
    session->start();
  }
  std::string finish() {
    run_to_end();
    EXPECT_TRUE(recorder->finish());
    return bytes();
  }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void ask_now(const std::string& text) {
    Question asked = question(text);
    asked.now = true;
    ask(std::move(asked));
  }

  static ReplayReport replayed(const std::string& bytes) {
    auto recording = Recording::over(bytes);
    EXPECT_TRUE(recording) << recording.error().message;
    auto report = replay(*recording);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(ReplayReport{});
  }
  /// A camera that is faster than the encoder, and questions of three kinds.
  std::string overloaded() {
    model.frame_encode_cost = Milliseconds(1500);
    options.queue = 4;
    start_recorded({.frames = 60, .interval = Milliseconds(200), .paced = true, .live = true});
    ask(question("What?", 2000));
    for (int ms = 3000; ms < 11'000; ms += 2500) {
      sleep_until(ms);
      ask_now("And now?");
    }
    ask(question("At the end?"));
    return finish();
  }
  /// The same, with the first event that `alter` changes written anew.
  std::string altered(const std::string& from, const std::function<bool(RecordedEvent&)>& alter) const {
    const std::string to = folder + "/altered";
    std::filesystem::remove(to);
    auto reader = store::RecordFileReader::over(from, kRecordingKind);
    auto writer = store::RecordFileWriter::create(to, kRecordingKind);
    bool done = false;
    while (auto record = *reader->next()) {
      auto event = *parse_event(record->type, record->bytes);
      if (!done && alter(event)) {
        done = true;
        record->bytes = to_bytes(event);
      }
      EXPECT_TRUE(writer->append(record->type, record->bytes));
    }
    EXPECT_TRUE(done);
    std::ifstream file(to, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder, path;
  std::shared_ptr<Recorder> recorder;
};

TEST_F(ReplayTest, AnOverloadedSessionGoesTheSameWay) {
  const ReplayReport report = replayed(overloaded());
  EXPECT_EQ(report.difference.value_or(""), "");
  EXPECT_EQ(report.answers, heard.answers.size());
  EXPECT_EQ(report.answers, 6U);
  EXPECT_EQ(report.windows, 60 + 6 + 1);
  EXPECT_GT(report.dropped, 20U);
  EXPECT_EQ(report.decisions + report.dropped, 60U);
  EXPECT_GT(report.steps, 20U);
  EXPECT_GT(report.tokens, 6U);
}

TEST_F(ReplayTest, SoDoesOneAsFastAsItGoesWhoseWindowTurnsOver) {
  options.realtime = false;
  options.window.max_rows = 200;
  start_recorded({.frames = 100, .interval = Milliseconds(300)});
  for (int ms = 1000; ms < 30'000; ms += 4000) ask(question("What?", ms));
  const ReplayReport report = replayed(finish());
  EXPECT_EQ(report.difference.value_or(""), "");
  EXPECT_EQ(report.answers, 8U);
  EXPECT_EQ(report.decisions, 100U);
  EXPECT_EQ(report.dropped, 0U);
  EXPECT_GT(heard.summary->turn_overs, 2U);
}

TEST_F(ReplayTest, SoDoesADeterministicOne) {
  host_options.deterministic = true;
  start_recorded({.frames = 30, .interval = Milliseconds(200), .paced = true, .live = true});
  for (int ms = 1000; ms < 5000; ms += 500) ask(question("What?", ms));
  const ReplayReport report = replayed(finish());
  EXPECT_EQ(report.difference.value_or(""), "");
  EXPECT_EQ(report.answers, 8U);
}

TEST_F(ReplayTest, SoDoesOneThatIsStoppedAndWhoseAnswersAreCancelled) {
  model.rules = {{"", std::string(400, 'x')}};
  options.max_answer_tokens = 400;
  start_recorded({.frames = 100, .interval = Milliseconds(200), .paced = true, .live = true});
  Question asked = question("What?");
  asked.now = true;
  asked.max_tokens = 400;
  sleep_until(1500);
  const QuestionId id = ask(asked);
  sleep_until(2500);
  session->cancel(id, 10);
  ask(asked);
  ask(question("At the end?"));
  sleep_until(4000);
  session->stop(false);
  const ReplayReport report = replayed(finish());
  EXPECT_EQ(report.difference.value_or(""), "");
  EXPECT_EQ(report.answers, 3U);
}

TEST_F(ReplayTest, AStandingQuestionIsAskedAsOftenAsItWas) {
  start_recorded({.frames = 50, .interval = Milliseconds(200), .paced = true, .live = true});
  Question asked = question("What?", 1000);
  asked.every = Milliseconds(1000);
  ask(asked);
  const ReplayReport report = replayed(finish());
  EXPECT_EQ(report.difference.value_or(""), "");
  EXPECT_EQ(report.answers, heard.answers.size());
  EXPECT_GE(report.answers, 9U);
}

TEST_F(ReplayTest, TheFirstDifferenceIsSaid) {
  const std::string bytes = overloaded();
  const auto difference = [&](const std::function<bool(RecordedEvent&)>& alter) {
    return replayed(altered(bytes, alter)).difference.value_or("");
  };
  EXPECT_THAT(difference([](RecordedEvent& event) {
                auto* let_out = std::get_if<LetOut>(&event);
                if (let_out) let_out->item.start += Milliseconds(1);
                return let_out != nullptr;
              }),
              HasSubstr("windows: recorded frame 0 of 0.001 s"));
  EXPECT_THAT(difference([](RecordedEvent& event) {
                auto* handled = std::get_if<Handled>(&event);
                if (handled) handled->reason = "blank";
                return handled != nullptr;
              }),
              HasSubstr("filter decisions: recorded"));
  EXPECT_THAT(difference([](RecordedEvent& event) {
                auto* stepped = std::get_if<Stepped>(&event);
                if (stepped) ++stepped->shares.at(0).rows;
                return stepped != nullptr;
              }),
              HasSubstr("schedule, step 1: recorded"));
  EXPECT_THAT(difference([](RecordedEvent& event) {
                auto* answered = std::get_if<Answered>(&event);
                if (answered) answered->text += "?";
                return answered != nullptr;
              }),
              HasSubstr("answers: recorded"));
  // A step that took longer makes the planner more careful.
  EXPECT_THAT(difference([n = 0](RecordedEvent& event) mutable {
                auto* stepped = std::get_if<Stepped>(&event);
                if (stepped && ++n == 4) stepped->end += std::chrono::seconds(1);
                return stepped != nullptr && n == 4;
              }),
              HasSubstr("schedule, step"));
}

TEST_F(ReplayTest, CutAnywhereItIsReplayedUpToThere) {
  const std::string bytes = overloaded();
  std::uint64_t steps = 0, cut = 0;
  for (std::size_t length = 20'000; length < bytes.size(); length += 4001) {
    auto recording = Recording::over(bytes.substr(0, length));
    ASSERT_TRUE(recording) << recording.error().message;
    EXPECT_FALSE(recording->ended());
    const auto report = replay(*recording);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->difference.value_or(""), "") << length;
    EXPECT_GE(report->steps, steps);
    steps = report->steps;
    ++cut;
  }
  EXPECT_GT(cut, 20U);
  EXPECT_GT(steps, 20U);
}

TEST_F(ReplayTest, ARecorderThatCannotKeepUpSaysSo) {
  start_recorded({.frames = 20, .interval = Milliseconds(100), .paced = true, .live = true},
                 {.queue_bytes = 10});
  run_to_end();
  const Status finished = recorder->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kFull);
}

}  // namespace
}  // namespace braid::serve
