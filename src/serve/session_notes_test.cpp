// What is seen is put into words, and nobody waits for it.
#include <algorithm>

#include "host/step_loop.h"
#include "session/notes.h"
#include "session/session_work.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

class SessionNotes : public SessionTest {
 protected:
  SessionNotes() {
    options.note_bytes = 1U << 20;
    model.rules = {{"now", "I see {seen} now."}, {"", "I saw {seen}."}};
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const deliver::Note& note : heard.notes) texts.push_back(note.text);
    return texts;
  }
  const FrameStream live{.frames = 6, .interval = Milliseconds(500), .paced = true, .live = true};
};

TEST_F(SessionNotes, TellOfEachFrameAloneWithItsTimeAndVector) {
  create_and_start(live);
  const auto summary = run_to_end();
  ASSERT_EQ(heard.notes.size(), 6U);
  for (int i = 0; i < 6; ++i) {
    const deliver::Note& note = heard.notes[static_cast<std::size_t>(i)];
    EXPECT_EQ(note.text, "I see f" + std::to_string(i) + " now.");
    EXPECT_EQ(note.end, at_ms(500 * i));
    EXPECT_EQ(note.source, "camera");
    EXPECT_EQ(note.pooled.size(), 8U);
    EXPECT_GT(note.behind, Nanoseconds::zero());
  }
  EXPECT_EQ(summary.notes, 6U);
  EXPECT_EQ(summary.notes_passed_over, 0U);
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(SessionNotes, AreNotMadeUnlessWanted) {
  options.note_bytes = 0;
  create_and_start(live);
  EXPECT_EQ(run_to_end().notes, 0U);
  EXPECT_TRUE(heard.notes.empty());
}

TEST_F(SessionNotes, LetAnAnswerGoFirst) {
  const auto ask_one = [this](std::size_t note_bytes) {
    options.note_bytes = note_bytes;
    heard = {};
    create_and_start(live);
    const QuestionId id = ask(question("Which?", 1015));  // while the frame of 1.0 s is put into words
    run_to_end();
    return heard.answer(id);
  };
  const Answer alone = ask_one(0);
  const Answer beside = ask_one(1U << 20);
  EXPECT_EQ(beside.text, "I saw f0, f1, f2.");
  EXPECT_EQ(beside.text, alone.text);
  const Nanoseconds one_step = host_options.step_target;
  EXPECT_LE(*beside.first_token - beside.asked, *alone.first_token - alone.asked + one_step);
  EXPECT_LE(beside.last_token - *beside.first_token, alone.last_token - *alone.first_token)
      << "once it has begun no step is a note's";
  EXPECT_EQ(heard.notes.size(), 6U);
}

TEST_F(SessionNotes, AreFewOnceASessionIsToldToEnd) {
  model.step_cost = Milliseconds(60);
  create_and_start({.frames = 100, .interval = Milliseconds(100), .paced = true, .live = true});
  sleep_until(3000);
  const std::size_t made_by_then = heard.notes.size();
  EXPECT_GT(session->notes().waiting, 6U);
  session->stop(true);
  const auto summary = run_to_end();
  EXPECT_LE(heard.notes.size(), made_by_then + Notes::kMostAtTheEnd + 1);
  EXPECT_GE(heard.notes.size(), made_by_then + 1);
  EXPECT_GT(summary.notes_passed_over, 2U);
}

TEST_F(SessionNotes, OfALiveSourceFallBehindAndPassTheOldestOver) {
  options.note_bytes = 1;  // the one that is being made, and the newest
  model.step_cost = Milliseconds(60);
  create_and_start(live);
  const auto summary = run_to_end();
  EXPECT_EQ(summary.notes + summary.notes_passed_over, 6U);
  EXPECT_GT(summary.notes_passed_over, 0U);
  EXPECT_EQ(heard.notes.back().text, "I see f5 now.");
  EXPECT_EQ(summary.notes_behind,
            std::max_element(heard.notes.begin(), heard.notes.end(), [](const auto& a, const auto& b) {
              return a.behind < b.behind;
            })->behind);
}

TEST_F(SessionNotes, OfAFileAreWaitedFor) {
  options.realtime = false;
  options.note_bytes = 1;
  create_and_start({.frames = 40, .interval = Milliseconds(500)});
  const auto summary = run_to_end();
  EXPECT_EQ(summary.notes, summary.frames_kept);
  EXPECT_EQ(summary.notes_passed_over, 0U);
}

TEST_F(SessionNotes, GiveTheirCellsToWhoeverNeedsThem) {
  model.step_cost = Milliseconds(60);
  create_and_start(live);
  sleep_until(1100);
  const int ours = cells_needed(options);
  ASSERT_GT(host->promised_cells(), ours) << "one is being made";
  const std::size_t before = heard.notes.size();
  {
    const auto others = host->loop().promise(model.cells - ours, 1);
    ASSERT_TRUE(others) << others.error().message;
    sleep_until(2200);
    EXPECT_EQ(host->promised_cells(), model.cells);
    EXPECT_EQ(heard.notes.size(), before);
  }
  const auto summary = run_to_end();
  EXPECT_EQ(summary.notes, 6U);
  EXPECT_EQ(heard.notes[before].text, "I see f" + std::to_string(before) + " now.");
}

TEST_F(SessionNotes, EndWithTheSessionThatIsStopped) {
  model.step_cost = Milliseconds(60);
  create_and_start(live);
  sleep_until(1200);
  session->stop(false);
  const auto summary = run_to_end();
  EXPECT_GT(summary.notes_passed_over, 0U);
  EXPECT_EQ(made.probe->used_cells(), 0);
}

TEST_F(SessionNotes, ThatFailLeaveTheRestAlone) {
  create(live);
  session->start();
  // The first steps are the opening's and the first frame's.
  run_to_end();
  const std::size_t all = made.probe->calls().size();
  ASSERT_GT(all, 10U);
  heard = {};
  std::uint64_t step = 0;
  std::uint64_t failing = 0;
  for (const auto& call : made.probe->calls()) {
    if (call.kind != engine::ScriptedCall::Kind::kStep) continue;
    ++step;
    if (failing == 0 && rows(call, RowKind::kDecode) > 0) failing = step;
  }
  model.failing_steps = {failing};
  create_and_start(live);
  const auto summary = run_to_end();
  EXPECT_EQ(summary.notes, 5U);
  EXPECT_EQ(summary.notes_passed_over, 1U);
  EXPECT_EQ(summary.frames_kept, 6U);
  EXPECT_TRUE(heard.faults.empty());
}

TEST_F(SessionNotes, ThatAreStillInTheWindowAreNoEvidence) {
  options.recall = [](Question& asked) {
    asked.evidence = {{1, "2026-11-29T10:00:00Z", "camera", "before", std::nullopt},
                      {2, "2026-11-29T10:00:01Z", "camera", "in sight", at_ms(500)}};
  };
  create(live);
  const QuestionId id = ask(question("Which?", 1200));
  session->start();
  run_to_end();
  ASSERT_EQ(heard.answer(id).evidence.size(), 1U);
  EXPECT_EQ(heard.answer(id).evidence[0].text, "before");
}

}  // namespace
}  // namespace braid::serve
