// Live sessions write to the memory of their key and are answered from it.
#include "server/remembering.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/step_loop.h"
#include "server/live_sessions.h"
#include "session_fixture.h"

namespace braid::serve {
namespace {

namespace fs = std::filesystem;

class RememberingTest : public SessionTest {
 protected:
  RememberingTest() {
    std::string pattern = (fs::temp_directory_path() / "braid-remembering-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    options.realtime = options.stay_open = true;
    model.rules = {{"now", "I see {seen} now."}, {"", "I saw {seen}."}};
    make_host().loop().start();
    auto opened = Memories::open(folder, {}, clock);
    EXPECT_TRUE(opened) << opened.error().message;
    memories = std::move(*opened);
    LiveSessionsOptions live;
    live.session = options;
    live.on_new = [this](LiveSession& session, SessionOptions& chosen, SessionTime begins_at) {
      remember(*memories, session, chosen, begins_at);
    };
    sessions = std::make_unique<LiveSessions>(*host, nullptr, clock, std::move(live));
  }
  ~RememberingTest() override {
    sessions.reset();
    memories.reset();
    host.reset();
    fs::remove_all(folder);
  }
  std::shared_ptr<LiveSession> begin(const std::string& owner, int frames) {
    std::vector<std::unique_ptr<ingest::Source>> sources;
    sources.push_back(make_frame_source({.frames = frames, .paced = true, .live = true}, pool, clock));
    auto made = sessions->create(std::move(sources), options, owner);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
  }
  Answer answer_of(LiveSession& session, const std::string& text) {
    std::optional<Answer> answer;
    Question asked;
    asked.text = text;
    asked.now = true;
    EXPECT_TRUE(
        session.ask(std::move(asked), {nullptr, nullptr, [&](const Answer& ended) { answer = ended; }}));
    for (int i = 0; i < 100 && !answer; ++i) clock.sleep_for(Milliseconds(50));
    return answer.value_or(Answer{});
  }

  std::string folder;
  std::unique_ptr<Memories> memories;
  std::unique_ptr<LiveSessions> sessions;
};

TEST_F(RememberingTest, WhatOneSessionOfAKeySawAnotherIsAskedAbout) {
  const std::string first = begin("anna", 4)->id();
  clock.sleep_for(std::chrono::seconds(4));
  EXPECT_EQ(sessions->notes().waiting, 0U);
  EXPECT_TRUE(sessions->end(first, "anna"));
  const Answer answer = answer_of(*begin("anna", 0), "Where was f1?");
  ASSERT_EQ(answer.evidence.size(), 1U);
  EXPECT_EQ(answer.evidence[0].source, "camera");
  EXPECT_EQ(answer.evidence[0].text, "I see f1 now.");
  const Answer other = answer_of(*begin("ben", 0), "Where was f1?");
  EXPECT_TRUE(other.evidence.empty());
  EXPECT_EQ(other.text, "Nothing was seen and no speech was heard.");
}

TEST_F(RememberingTest, WhatIsStillInSightIsNotSaidTwice) {
  const auto live = begin("anna", 4);
  clock.sleep_for(std::chrono::seconds(4));
  EXPECT_TRUE(answer_of(*live, "Where was f1?").evidence.empty());
  EXPECT_EQ(answer_of(*begin("anna", 0), "Where was f1?").evidence.size(), 1U);
}

TEST_F(RememberingTest, NotesTellHowFarTheyAreBehind) {
  model.step_cost = Milliseconds(100);
  sessions.reset();
  make_host().loop().start();
  LiveSessionsOptions live;
  live.on_new = [this](LiveSession& session, SessionOptions& chosen, SessionTime begins_at) {
    remember(*memories, session, chosen, begins_at);
  };
  sessions = std::make_unique<LiveSessions>(*host, nullptr, clock, std::move(live));
  const auto kept = begin("anna", 6);
  clock.sleep_for(std::chrono::seconds(3));
  const NotesBehind behind = sessions->notes();
  EXPECT_GT(behind.waiting, 1U);
  ASSERT_TRUE(behind.since);
  EXPECT_GT(clock.now() - *behind.since, Milliseconds(500));
}

TEST_F(RememberingTest, ASessionGoesOnWithoutAMemoryThatCannotBeOpened) {
  fs::create_directories(folder + "/keys");
  std::ofstream(folder + "/keys/anna") << "a file";
  const auto live = begin("anna", 2);
  clock.sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(answer_of(*live, "Which?").text, "I saw f0, f1.");
  EXPECT_EQ(memories->counts().failing, 1U);
}

}  // namespace
}  // namespace braid::serve
