// A session ends soon and whole, whenever it is stopped, and refuses what it can't hold.
#include <fmt/format.h>

#include <algorithm>

#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

class SessionStop : public SessionTest {
 protected:
  SessionStop() { model.rules = {{"", "A long answer, one byte a token, of what was {seen}."}}; }

  void expect_one_end_each(std::size_t questions) const {
    EXPECT_EQ(heard.answers.size(), questions);
    ASSERT_TRUE(heard.summary);
    EXPECT_EQ(heard.summary->questions, questions);
    EXPECT_EQ(made.probe->sequences(), 0) << "an answer's cells were left behind";
  }
  const FrameStream stream{.frames = 20, .interval = Milliseconds(500)};
};

/// Session time of stop(), ms, and whether open questions are still answered.
class StopAnytime : public SessionStop, public testing::WithParamInterface<std::tuple<int, bool>> {};

TEST_P(StopAnytime, EndsWithEveryQuestionEnded) {
  const auto [ms, answer_rest] = GetParam();
  create_and_start(stream);
  ask(question("Early?", 1200));
  ask(question("At the end?"));
  ask(question("Never due?", 60000));
  sleep_until(ms);
  session->stop(answer_rest);
  run_to_end();
  expect_one_end_each(3);
  EXPECT_TRUE(heard.summary->interrupted);
  const auto stopped = session->started_at() + Milliseconds(ms);
  for (const Answer& answer : heard.answers) {
    const bool ended_before = answer.last_token <= stopped;
    if (answer_rest || ended_before) continue;
    EXPECT_EQ(answer.finish, FinishReason::kCancelled) << answer.question;
    EXPECT_LE(answer.last_token - stopped, Milliseconds(100)) << answer.question;
  }
  const bool answered_at_the_end = heard.answer(QuestionId{1}).finish != FinishReason::kCancelled;
  EXPECT_EQ(answered_at_the_end, answer_rest);
}

// Before the first frame's encode, in an encode, in a step, between frames, while answering, late.
INSTANTIATE_TEST_SUITE_P(Phases, StopAnytime,
                         testing::Combine(testing::Values(0, 10, 22, 300, 1230, 1300, 5000, 9400),
                                          testing::Bool()));

TEST_F(SessionStop, TwiceIsStoppedOnce) {
  create_and_start(stream);
  ask(question("At the end?"));
  sleep_until(1300);
  session->stop(true);
  session->stop(false);
  session->stop(true);
  run_to_end();
  expect_one_end_each(1);
}

TEST_F(SessionStop, BeforeTheStartLeavesNothingToDo) {
  create(stream);
  ask(question("At the end?"));
  session->stop(false);
  session->start();
  run_to_end();
  expect_one_end_each(1);
  EXPECT_LT(heard.summary->frames_sampled, 20U);
}

/// Ends within stop(): by the time that it returns, nothing runs any more.
class EndsInStop final : public ingest::Source {
 public:
  explicit EndsInStop(Clock& clock) : clock_(clock), ended_(clock) {
    info_.name = "camera";
    info_.streams[0] = info_.live = true;
  }
  const ingest::SourceInfo& info() const override { return info_; }
  Status run(SourceId, const ingest::PacketSink&) override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return stopped_; });
    return {};
  }
  void stop() override {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
      ended_.notify_all();
    }
    clock_.sleep_for(Milliseconds(10));
  }

 private:
  Clock& clock_;
  std::mutex mutex_;
  Signal ended_;
  bool stopped_ = false;
  ingest::SourceInfo info_;
};

TEST_F(SessionStop, InterruptsASourceHoweverSoonThatEnds) {
  options.realtime = true;
  session = std::move(*Session::create(options, make_host(), nullptr, clock, heard));
  ASSERT_TRUE(session->add_source(std::make_unique<EndsInStop>(clock)));
  session->start();
  sleep_until(500);
  session->stop(true);
  run_to_end();
  EXPECT_TRUE(heard.summary->interrupted);
}

TEST_F(SessionStop, AfterTheEndDoesNothing) {
  create_and_start(stream);
  run_to_end();
  session->stop(false);
  session->stop(true);
  session->cancel(QuestionId{0});
  EXPECT_FALSE(heard.summary->interrupted);
}

TEST_F(SessionStop, ByDestructionCancelsWhatIsOpen) {
  create_and_start(stream);
  ask(question("At the end?"));
  sleep_until(1300);
  session.reset();
  expect_one_end_each(1);
  EXPECT_EQ(heard.answers[0].finish, FinishReason::kCancelled);
}

TEST_F(SessionStop, WithoutAStartNothingHappens) {
  create(stream);
  ask(question("At the end?"));
  session.reset();
  EXPECT_TRUE(heard.answers.empty());
  EXPECT_FALSE(heard.summary);
}

TEST_F(SessionStop, FromWithinAnEventEndsTheSession) {
  create(stream);
  heard.meanwhile = [this](const deliver::Event& event) {
    if (std::holds_alternative<AnswerDelta>(event)) session->stop(false);
  };
  ask(question("Early?", 700));
  session->start();
  run_to_end();
  EXPECT_EQ(heard.answers[0].finish, FinishReason::kCancelled);
  EXPECT_LT(heard.summary->end, at_ms(2000));
}

TEST_F(SessionStop, EndsOneThatStaysOpenAfterItsSources) {
  options.stay_open = true;
  create_and_start({.frames = 3, .interval = Milliseconds(500)});
  sleep_until(4000);
  Question now = question("Typed?");
  now.now = true;
  const QuestionId id = ask(now);
  sleep_until(6000);
  EXPECT_EQ(heard.answer(id).finish, FinishReason::kStop);
  EXPECT_EQ(heard.answer(id).text, "A long answer, one byte a token, of what was f0, f1, f2.");
  session->stop(true);
  run_to_end();
  expect_one_end_each(1);
}

TEST_F(SessionStop, QuestionsAfterTheEndAreRefused) {
  create_and_start({.frames = 2, .interval = Milliseconds(500)});
  run_to_end();
  const auto asked = session->ask(question("Too late?"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, ErrorCode::kCancelled);
}

TEST_F(SessionStop, AWindowBeyondTheModelsContextIsRefused) {
  options.window.max_rows = 8000;
  const auto beyond = Session::create(options, make_host(), nullptr, clock, heard);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::kLimit);
  EXPECT_THAT(beyond.error().message, HasSubstr("--window-tokens"));
}

TEST_F(SessionStop, AWindowBeyondTheEnginesCellsIsRefused) {
  model.cells = 1024;
  const auto beyond = Session::create(options, make_host(), nullptr, clock, heard);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::kLimit);
  EXPECT_THAT(beyond.error().message, HasSubstr("1024"));
}

/// Another's frames, and sound that never says anything.
class WithSound final : public ingest::Source {
 public:
  explicit WithSound(std::unique_ptr<ingest::Source> frames)
      : frames_(std::move(frames)), info_(frames_->info()) {
    info_.streams[static_cast<std::size_t>(StreamKind::kAudio)] = true;
  }
  const ingest::SourceInfo& info() const override { return info_; }
  Status run(SourceId id, const ingest::PacketSink& sink) override {
    sink(Bound{StreamKind::kAudio, at_ms(1'000'000)});
    return frames_->run(id, sink);
  }
  void stop() override { frames_->stop(); }

 private:
  std::unique_ptr<ingest::Source> frames_;
  ingest::SourceInfo info_;
};

TEST_F(SessionStop, WhatAModelHasNoSenseForIsSaidOnce) {
  for (const bool hears : {false, true}) {
    model.hears = hears;
    std::vector<std::string> notices;
    heard.meanwhile = [&](const deliver::Event& event) {
      if (const auto* notice = std::get_if<deliver::Notice>(&event)) notices.push_back(notice->message);
    };
    session = std::move(*Session::create(options, make_host(), nullptr, clock, heard));
    ASSERT_TRUE(session->add_source(std::make_unique<WithSound>(make_frame_source(stream, pool, clock))));
    session->start();
    run_to_end();
    EXPECT_EQ(notices.size(), hears ? 0U : 1U);
    if (!hears) EXPECT_THAT(notices.at(0), HasSubstr("sound"));
    EXPECT_TRUE(heard.faults.empty());
  }
}

TEST_F(SessionStop, AnOpeningThatLeavesNoRoomIsRefused) {
  options.window.max_rows = 3;  // the scripted opening has two
  const auto cramped = Session::create(options, make_host(), nullptr, clock, heard);
  ASSERT_FALSE(cramped);
  EXPECT_EQ(cramped.error().code, ErrorCode::kLimit);
  EXPECT_THAT(cramped.error().message, HasSubstr("system text"));
}

TEST_F(SessionStop, SourcesOfOneNameOrOfNoUseAreRefused) {
  model.sees = false;
  session = std::move(*Session::create(options, make_host(), nullptr, clock, heard));
  const auto unseen = session->add_source(make_frame_source(stream, pool, clock));
  ASSERT_FALSE(unseen);
  EXPECT_EQ(unseen.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(unseen.error().message, HasSubstr("--mmproj"));

  model.sees = true;
  create(stream);
  const auto twin = session->add_source(make_frame_source(stream, pool, clock));
  ASSERT_FALSE(twin);
  EXPECT_EQ(twin.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace braid::serve
