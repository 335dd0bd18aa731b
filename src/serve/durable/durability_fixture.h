#pragma once
// For tests: a server's sessions and their files, in virtual time.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "durable/durability.h"
#include "host/step_loop.h"
#include "server/live_sessions.h"
#include "session_fixture.h"

namespace braid::serve {

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

}  // namespace braid::serve
