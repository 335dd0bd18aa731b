#include "durable/durability.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/step_loop.h"
#include "server/live_sessions.h"
#include "server/workers.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

/// A camera before a server that is started again and again, in virtual time.
class DurabilityTest : public SessionTest {
 protected:
  DurabilityTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "braid-durability-XXXXXX").string();
    kept.state_dir = mkdtemp(pattern.data());
    options.realtime = options.stay_open = true;
    make_host().loop().start();
  }
  ~DurabilityTest() override {
    live.reset();
    sessions.reset();
    durability.reset();
    std::filesystem::remove_all(kept.state_dir);
  }
  void start() {
    LiveSessionsOptions live_options;
    live_options.session = options;
    sessions = std::make_unique<LiveSessions>(*host, nullptr, clock, live_options);
    auto opened = Durability::open(kept, host->info(), clock);
    ASSERT_TRUE(opened) << opened.error().message;
    durability = std::move(*opened);
  }
  /// What was not written by then is lost.
  void die() {
    durability.reset();
    if (live) sessions->end(live->id(), owner);
    live.reset();
    sessions.reset();
  }
  std::string begin(std::vector<openai::StandingQuestion> standing = {}) {
    std::vector<std::unique_ptr<ingest::Source>> sources;
    sources.push_back(make_frame_source({.frames = 8, .paced = true}, pool, clock));
    auto created = sessions->create(std::move(sources), options, owner);
    if (!created) return created.error().message;
    live = *created;
    SavedSession saved;
    saved.id = live->id();
    saved.owner = owner;
    saved.standing = std::move(standing);
    return durability->keep(live, saved);
  }
  /// A session of a server that died when it had been written, and was started again.
  struct Left {
    std::string id, token;
  };
  Left leave_one(Milliseconds after = Milliseconds(2500)) {
    start();
    Left left{"", begin()};
    left.id = live->id();
    clock.sleep_for(after);
    die();
    start();
    return left;
  }
  Result<std::shared_ptr<LiveSession>> resume(const std::string& id, const std::string& token,
                                              const std::string& by = owner) {
    return durability->resume({id, token}, by, SessionKind::kSources, [&](Resumed resumed) {
      image = resumed.image;
      return sessions->create(std::vector<std::unique_ptr<ingest::Source>>{}, options, by,
                              SessionRebirth{resumed.saved.id, 0, std::move(resumed.image)});
    });
  }

  static constexpr const char* owner = "line-7";
  DurabilityOptions kept;
  std::unique_ptr<LiveSessions> sessions;
  std::unique_ptr<Durability> durability;
  std::shared_ptr<LiveSession> live;
  SessionImage image;
};

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

TEST_F(DurabilityTest, WhatCouldNotBeWrittenIsTriedAgain) {
  kept.max_bytes = 100;
  start();
  begin();
  clock.sleep_for(std::chrono::seconds(10));
  const auto failed = durability->counts().failed;
  clock.sleep_for(std::chrono::seconds(10));
  EXPECT_EQ(durability->counts().failed, failed + 5);
}

TEST_F(DurabilityTest, OneThatWasEndedLeavesNothing) {
  start();
  begin();
  clock.sleep_for(Milliseconds(2500));
  const std::string id = live->id();
  sessions->end(id, owner);
  live.reset();
  EXPECT_FALSE(durability->forget(id, "another"));
  EXPECT_TRUE(durability->forget(id, owner));
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/" + id));
  EXPECT_EQ(durability->counts().bytes, 0U);
}

TEST_F(DurabilityTest, ABeginThatFailsCostsNothing) {
  const auto [id, token] = leave_one();
  const auto failed = durability->resume({id, token}, owner, SessionKind::kSources, [](const Resumed&) {
    return Result<std::shared_ptr<LiveSession>>(fail(ErrorCode::kFull, "no room", true));
  });
  EXPECT_EQ(failed.error().code, ErrorCode::kFull);
  auto back = resume(id, token);
  ASSERT_TRUE(back) << back.error().message;
  live = *back;
}

TEST_F(DurabilityTest, WhatIsNotASessionsIsToldAndGoesWithTheRest) {
  kept.resume_for = std::chrono::seconds(10);
  std::filesystem::create_directories(kept.state_dir + "/sess_broken");
  std::filesystem::create_directories(kept.state_dir + "/sess_empty");
  std::ofstream(kept.state_dir + "/sess_broken/snapshot") << "no snapshot";
  start();
  EXPECT_EQ(durability->counts().refused, 1U);
  EXPECT_TRUE(durability->resumable("").empty());
  EXPECT_EQ(resume("sess_broken", "x").error().code, ErrorCode::kBadInput);
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/sess_empty"));
  clock.sleep_for(std::chrono::seconds(13));
  EXPECT_FALSE(std::filesystem::exists(kept.state_dir + "/sess_broken"));
}

}  // namespace
}  // namespace braid::serve
