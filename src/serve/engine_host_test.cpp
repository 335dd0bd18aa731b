// Several sessions on one engine.

#include "braid/serve/engine_host.h"

#include <deque>

#include "host/step_loop.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

using testing::HasSubstr;

class EngineHostTest : public SessionTest {
 protected:
  struct Live {
    Heard heard;
    std::unique_ptr<Session> session;
  };

  EngineHostTest() {
    model.cells = 32768;
    model.max_sequences = 64;
  }

  /// One more session on the host, started.
  Live& begin(FrameStream stream) {
    if (!host) make_host();
    stream.paced = true;
    Live& live = sessions.emplace_back();
    auto created = Session::create(options, *host, nullptr, clock, live.heard);
    EXPECT_TRUE(created) << created.error().message;
    live.session = std::move(*created);
    EXPECT_TRUE(live.session->add_source(make_frame_source(std::move(stream), pool, clock)));
    live.session->start();
    return live;
  }
  void end_all() {
    for (Live& live : sessions) live.session->wait();
  }

  std::deque<Live> sessions;
};

TEST_F(EngineHostTest, EachSessionAnswersFromWhatItSawItself) {
  Live& one = begin({.frames = 4, .interval = Milliseconds(500)});
  Live& two = begin({.frames = 2, .interval = Milliseconds(500)});
  const QuestionId of_one = *one.session->ask(question("What?"));
  const QuestionId of_two = *two.session->ask(question("What?"));
  end_all();
  EXPECT_EQ(one.heard.answer(of_one).text, "I see f0, f1, f2, f3.");
  EXPECT_EQ(two.heard.answer(of_two).text, "I see f0, f1.");
}

TEST_F(EngineHostTest, AnswersOfTwoSessionsShareSteps) {
  Live& one = begin({.frames = 4, .interval = Milliseconds(500)});
  Live& two = begin({.frames = 4, .interval = Milliseconds(500)});
  (void)one.session->ask(question("What?", 1200));
  (void)two.session->ask(question("What?", 1200));
  end_all();
  int shared = 0;
  for (const auto& call : made.probe->calls())
    if (rows(call, RowKind::kDecode) == 2) ++shared;
  EXPECT_GT(shared, 5);
  EXPECT_EQ(one.heard.answers.at(0).text, two.heard.answers.at(0).text);
}

TEST_F(EngineHostTest, DeterministicStepsHoldRowsOfOneSession) {
  host_options.deterministic = true;
  begin({.frames = 4, .interval = Milliseconds(500)});
  begin({.frames = 4, .interval = Milliseconds(500)});
  for (Live& live : sessions) (void)live.session->ask(question("What?", 1200));
  end_all();
  for (const auto& call : made.probe->calls()) EXPECT_LE(rows(call, RowKind::kDecode), 1);
  for (Live& live : sessions) EXPECT_EQ(live.heard.answers.at(0).text, "I see f0, f1, f2.");
}

TEST_F(EngineHostTest, ASessionBeyondTheCellsIsRefusedUntilAnotherEnds) {
  model.cells = 4096;
  begin({.frames = 4, .interval = Milliseconds(500)});
  clock.sleep_for(Milliseconds(300));
  const auto refused = Session::create(options, *host, nullptr, clock, heard);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFull);
  EXPECT_TRUE(refused.error().retryable);
  EXPECT_THAT(refused.error().message, HasSubstr("KV cells"));
  sessions[0].session->wait();
  sessions.clear();
  EXPECT_EQ(host->promised_cells(), 0);
  EXPECT_TRUE(Session::create(options, *host, nullptr, clock, heard));
}

TEST_F(EngineHostTest, SessionsComeAndGoWithoutTrace) {
  for (int i = 0; i < 20; ++i) {
    Live& live = begin({.frames = 2, .interval = Milliseconds(500)});
    const QuestionId id = *live.session->ask(question("What?"));
    live.session->wait();
    EXPECT_EQ(live.heard.answer(id).text, "I see f0, f1.");
    EXPECT_EQ(made.probe->used_cells(), 0);
    sessions.clear();
  }
  // The host's own lane and a session's two.
  EXPECT_EQ(host->loop().in().lanes(), 3U);
}

TEST_F(EngineHostTest, OneThatWasNeverStartedLeavesNothing) {
  make_host();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Session::create(options, *host, nullptr, clock, heard));
  EXPECT_EQ(host->promised_cells(), 0);
  EXPECT_EQ(host->loop().in().lanes(), 3U);
}

/// Counts how often the opening is read.
class CountingTokenizer final : public engine::Tokenizer {
 public:
  CountingTokenizer(std::unique_ptr<engine::Tokenizer> counted, int& openings)
      : counted_(std::move(counted)), openings_(openings) {}

  const engine::ChatFormat& chat() const override { return counted_->chat(); }
  TokenRun tokenize(std::string_view text, bool special) const override {
    if (text == chat().begin) ++openings_;
    return counted_->tokenize(text, special);
  }
  std::string piece(Token token) const override { return counted_->piece(token); }
  bool ends_generation(Token token) const override { return counted_->ends_generation(token); }
  Result<engine::RenderedChat> render(const engine::ChatInput& input) const override {
    return counted_->render(input);
  }

 private:
  const std::unique_ptr<engine::Tokenizer> counted_;
  int& openings_;
};

TEST_F(EngineHostTest, TheSystemTextIsReadOnceForAllSessions) {
  int openings = 0;
  made = engine::make_scripted_engine(clock, model);
  made.engine.tokenizer = std::make_unique<CountingTokenizer>(std::move(made.engine.tokenizer), openings);
  host = std::make_unique<EngineHost>(made.engine, clock, host_options);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Session::create(options, *host, nullptr, clock, heard));
  EXPECT_EQ(openings, 1);
  host.reset();
}

TEST_F(EngineHostTest, AFailedStepHurtsOnlyTheSessionsInIt) {
  // Steps of the first session alone come first; the one that fails is among them.
  model.failing_steps = {2};
  Live& one = begin({.frames = 2, .interval = Milliseconds(500)});
  clock.sleep_until(one.session->started_at() + Milliseconds(1500));
  Live& two = begin({.frames = 3, .interval = Milliseconds(500)});
  (void)one.session->ask(question("What?"));
  const QuestionId id = *two.session->ask(question("What?"));
  end_all();
  EXPECT_EQ(one.heard.faults.size(), 1U);
  EXPECT_TRUE(two.heard.faults.empty());
  EXPECT_EQ(two.heard.answer(id).text, "I see f0, f1, f2.");
}

TEST_F(EngineHostTest, ABusySessionDoesNotKeepAnotherFromEnding) {
  Live& busy = begin({.frames = 200, .interval = Milliseconds(20)});
  Live& brief = begin({.frames = 1, .interval = Milliseconds(500)});
  brief.session->wait();
  EXPECT_LT(clock.now() - brief.session->started_at(), Milliseconds(1500));
  busy.session->stop(false);
  busy.session->wait();
}

}  // namespace
}  // namespace braid::serve
