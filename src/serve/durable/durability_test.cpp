#include <chrono>

#include "durability_fixture.h"
#include "server/workers.h"

namespace braid::serve {
namespace {

TEST_F(DurabilityTest, AtMostAnIntervalIsLost) {
  const auto [id, token] = leave_one(Milliseconds(6300));
  ASSERT_EQ(durability->resumable(owner).size(), 1U);
  EXPECT_TRUE(durability->resumable("another").empty());
  auto back = resume(id, token);
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
  EXPECT_EQ(live->id(), id);
  ASSERT_FALSE(image.timeline.empty());
  EXPECT_GE(std::get<std::shared_ptr<const Chunk>>(image.timeline.back())->end,
            SessionTime(Milliseconds(3500)));
  EXPECT_GE(image.now, SessionTime(Milliseconds(4000)));
  EXPECT_EQ(durability->counts().resumed, 1U);
  EXPECT_TRUE(durability->resumable(owner).empty());
}

TEST_F(DurabilityTest, WhoHasNoTokenGetsTheSameAnswerAsForASessionThatIsNotThere) {
  const auto [id, token] = leave_one();
  const auto unknown = resume("sess_0", token).error();
  EXPECT_EQ(unknown.code, ErrorCode::kNotFound);
  EXPECT_EQ(resume(id, "").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(resume(id, token + "0").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(resume(id, token, "another").error().code, ErrorCode::kNotFound);
  auto back = resume(id, token);
  ASSERT_TRUE(back);
  live = *back;
}

TEST_F(DurabilityTest, OneThatLivesIsGivenToWhoHasItsTokenAlone) {
  const auto [id, token] = leave_one();
  live = *resume(id, token);
  EXPECT_EQ(resume(id, token), live);
  EXPECT_EQ(resume(id, "wrong").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(resume(id, token, "another").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(durability->resume({id, token}, owner, SessionKind::kClient, {}).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(durability->counts().resumed, 1U);
}

TEST_F(DurabilityTest, WhoComesWhileItIsBeingBegunGetsItToo) {
  const auto [id, token] = leave_one();
  const SteadyTime came = clock.now();
  std::shared_ptr<LiveSession> second;
  Thread other(clock, "second", [&, id = id, token = token] {
    clock.sleep_for(Milliseconds(100));
    auto got = durability->resume({id, token}, owner, SessionKind::kSources, {});
    if (got) second = *got;
  });
  const auto first = durability->resume({id, token}, owner, SessionKind::kSources, [&](Resumed resumed) {
    clock.sleep_for(Milliseconds(500));
    return sessions->create(std::vector<std::unique_ptr<ingest::Source>>{}, options, owner,
                            SessionRebirth{resumed.saved.id, 0, std::move(resumed.image)});
  });
  ASSERT_TRUE(first);
  live = *first;
  other.join();
  EXPECT_EQ(second, live);
  EXPECT_EQ(clock.now() - came, Milliseconds(500));
}

TEST_F(DurabilityTest, OneThatIsBeingBegunIsSeenAndCanBeDeleted) {
  const auto [id, token] = leave_one();
  Thread other(clock, "deletes", [&, id = id, token = token] {
    clock.sleep_for(Milliseconds(100));
    EXPECT_EQ(durability->resumable(owner).size(), 1U);
    EXPECT_FALSE(durability->forget(id, "another"));
    EXPECT_TRUE(durability->forget(id, owner));
    EXPECT_FALSE(durability->forget(id, owner));
    EXPECT_TRUE(durability->resumable(owner).empty());
    EXPECT_EQ(durability->resume({id, token}, owner, SessionKind::kSources, {}).error().code,
              ErrorCode::kNotFound);
  });
  std::vector<bool> wanted;
  const auto begun = durability->resume({id, token}, owner, SessionKind::kSources,
                                        [&](const Resumed& resumed) -> Result<std::shared_ptr<LiveSession>> {
                                          wanted.push_back(resumed.is_wanted());
                                          clock.sleep_for(Milliseconds(500));
                                          wanted.push_back(resumed.is_wanted());
                                          return fail(ErrorCode::kResource, "the camera doesn't answer");
                                        });
  other.join();
  EXPECT_EQ(begun.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(wanted, (std::vector<bool>{true, false}));
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + id));
  EXPECT_EQ(durability->counts().bytes, 0U);
  EXPECT_EQ(durability->counts().resumable, 0U);
}

class Talk final : public KeptConversation {
 public:
  std::uint64_t changes() override { return count; }
  std::string saved() override { return text; }
  std::uint64_t count = 0;
  std::string text = "{}";
};

TEST_F(DurabilityTest, AConversationThatChangesIsWrittenAndFoundByItsTokenWhileItLives) {
  start();
  live = *sessions->create(std::vector<std::unique_ptr<ingest::Source>>{}, options, owner);
  SavedSession saved;
  saved.id = live->id();
  saved.owner = owner;
  saved.kind = SessionKind::kClient;
  auto talk = std::make_shared<Talk>();
  const std::string token = durability->keep(live, saved, talk);
  clock.sleep_for(std::chrono::seconds(10));
  const auto written = durability->counts().written;
  ++talk->count;
  talk->text = R"({"said":1})";
  clock.sleep_for(std::chrono::seconds(10));
  EXPECT_EQ(durability->counts().written, written + 1);
  EXPECT_EQ(durability->living({live->id(), token}, owner), talk);
  EXPECT_EQ(durability->living({live->id(), token + "0"}, owner), nullptr);
  EXPECT_EQ(durability->living({live->id(), token}, "another"), nullptr);
  talk->text.clear();  // the client has gone
  ++talk->count;
  clock.sleep_for(std::chrono::seconds(10));
  EXPECT_EQ(durability->counts().written, written + 1);
}

TEST_F(DurabilityTest, OneThatIsLeftIsWrittenAsItWasWhenItsLineBroke) {
  start();
  const std::string before = begin(), id = live->id();
  SavedSession saved;
  saved.id = id;
  saved.owner = owner;
  saved.kind = SessionKind::kClient;
  auto talk = std::make_shared<Talk>();
  const std::string token = durability->keep(live, saved, talk);
  clock.sleep_for(Milliseconds(3900));  // the last one by the clock was at 2 s
  durability->write_last(live, R"({"said":2})");
  talk->text.clear();
  live->session().stop(false);
  sessions->end(live, [&] { durability->leave(id); });
  live.reset();
  sessions->wait_for_ending(clock.now() + std::chrono::seconds(10));
  const auto back = durability->resume({id, token}, owner, SessionKind::kClient, [&](Resumed resumed) {
    EXPECT_EQ(resumed.saved.conversation, R"({"said":2})");
    EXPECT_GE(resumed.image.timeline.size(), 5U);
    EXPECT_GE(resumed.image.now, SessionTime(Milliseconds(3800)));
    return sessions->create(
        std::vector<std::unique_ptr<ingest::Source>>{}, options, owner,
        SessionRebirth{id, 0, std::move(resumed.image), {}, resumed.saved.perceived, resumed.saved.kept});
  });
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
  const openai::SessionInfo info = live->info();
  EXPECT_GE(info.perceived, 5U);
  EXPECT_GE(info.kept, 5U);
  EXPECT_GE(info.window_chunks, 5);
  EXPECT_GT(info.window_tokens, info.window_chunks);
  EXPECT_GE(info.window_to, SessionTime(Milliseconds(3500)));
  EXPECT_GT(info.bytes, 0U);
}

TEST_F(DurabilityTest, WhoDoesNotComeIsForgotten) {
  kept.resume_for = std::chrono::seconds(10);
  const auto [id, token] = leave_one();
  clock.sleep_for(Milliseconds(9000));
  EXPECT_EQ(durability->resumable(owner).size(), 1U);
  clock.sleep_for(Milliseconds(4000));
  EXPECT_TRUE(durability->resumable(owner).empty());
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + id));
  EXPECT_EQ(resume(id, token).error().code, ErrorCode::kNotFound);
}

TEST_F(DurabilityTest, OfASessionInWhichNothingChangesNothingIsAskedAndNothingWritten) {
  start();
  begin();
  clock.sleep_for(std::chrono::seconds(10));
  const auto before = durability->counts();
  EXPECT_LE(before.written, 6U);
  clock.sleep_for(std::chrono::seconds(60));
  EXPECT_EQ(durability->counts().images, before.images);
  EXPECT_EQ(durability->counts().written, before.written);
  Question asked = question("What?");
  asked.now = true;
  ASSERT_TRUE(live->ask(std::move(asked), {}));
  clock.sleep_for(std::chrono::seconds(10));
  const auto after = durability->counts();
  EXPECT_GT(after.images, before.images);
  clock.sleep_for(std::chrono::seconds(60));
  EXPECT_EQ(durability->counts().images, after.images);
}

TEST_F(DurabilityTest, OneWithAStandingQuestionGoesOnByItselfAsSoonAsItCan) {
  start();
  openai::StandingQuestion asked;
  asked.ask = "What?";
  asked.every = std::chrono::seconds(10);
  const std::string token = begin({asked});
  const std::string id = live->id();
  clock.sleep_for(Milliseconds(2500));
  die();
  start();
  const SteadyTime started = clock.now();
  std::vector<SteadyTime> tries;
  const auto begin_again = [&](Resumed resumed) -> Result<std::shared_ptr<LiveSession>> {
    tries.push_back(clock.now());
    if (tries.size() < 3) return fail(ErrorCode::kResource, "the camera doesn't answer");
    EXPECT_EQ(resumed.saved.standing.at(0).ask, "What?");
    return live = *sessions->create(std::vector<std::unique_ptr<ingest::Source>>{}, options, owner,
                                    SessionRebirth{resumed.saved.id, 0, std::move(resumed.image)});
  };
  Workers workers(clock, "worker", 1);
  durability->go_on(begin_again, [&](std::function<void()> work) { return workers.post(std::move(work)); });
  clock.sleep_for(std::chrono::seconds(60));
  ASSERT_EQ(tries.size(), 3U);
  EXPECT_EQ(tries[0], started);
  EXPECT_GE(tries[1] - tries[0], std::chrono::seconds(10));
  EXPECT_EQ(resume(id, token), live);
  durability->go_on(nullptr, nullptr);
}

TEST_F(DurabilityTest, ThatOneCannotGoOnByItselfIsToldOnce) {
  start();
  openai::StandingQuestion asked;
  asked.ask = "What?";
  begin({asked});
  clock.sleep_for(Milliseconds(2500));
  die();
  start();
  int tries = 0;
  const auto begin_again = [&](const Resumed&) -> Result<std::shared_ptr<LiveSession>> {
    return fail(ErrorCode::kMismatch, ++tries < 4 ? "another model's" : "no camera");
  };
  testing::internal::CaptureStderr();
  Workers workers(clock, "worker", 1);
  durability->go_on(begin_again, [&](std::function<void()> work) { return workers.post(std::move(work)); });
  clock.sleep_for(std::chrono::seconds(65));
  durability->go_on(nullptr, nullptr);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_GE(tries, 6);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = told.find("questions wait", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 2U) << told;
}

TEST_F(DurabilityTest, WhatIsOpenWhenItDiesIsKnownWhenItComesBack) {
  model.step_cost = Milliseconds(500);
  make_host().loop().start();
  start();
  const std::string token = begin();
  const std::string id = live->id();
  clock.sleep_for(Milliseconds(3000));
  for (const char* text : {"What now?", "What stands?"}) {
    Question asked = question(text);
    asked.now = true;
    ASSERT_TRUE(live->ask(std::move(asked), {}));
  }
  clock.sleep_for(Milliseconds(2500));
  die();
  start();
  const auto back = durability->resume({id, token}, owner, SessionKind::kSources, [&](Resumed resumed) {
    return sessions->create(
        std::vector<std::unique_ptr<ingest::Source>>{}, options, owner,
        SessionRebirth{resumed.saved.id, 0, std::move(resumed.image), std::move(resumed.saved.unanswered)});
  });
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
  ASSERT_EQ(live->info().unanswered.size(), 2U);
  EXPECT_EQ(live->info().unanswered[0].question, "What now?");
  EXPECT_GE(live->info().unanswered[0].asked_at, SessionTime(Milliseconds(3000)));
  EXPECT_TRUE(live->take_left("What stands?"));
  EXPECT_FALSE(live->take_left("What stands?"));
  EXPECT_EQ(live->open_questions().size(), 1U);
}

}  // namespace
}  // namespace braid::serve
